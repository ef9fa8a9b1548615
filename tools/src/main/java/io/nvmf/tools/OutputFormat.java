package io.nvmf.tools;

/** How results are written. */
enum OutputFormat {
    NORMAL,
    JSON;

    static OutputFormat parse(String text) throws UsageException {
        return switch (text) {
            case "normal" -> NORMAL;
            case "json" -> JSON;
            default -> throw new UsageException("output format '" + text + "' is neither normal nor json");
        };
    }
}
