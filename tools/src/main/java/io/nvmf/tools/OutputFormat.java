package io.nvmf.tools;

/** How results are written. */
enum OutputFormat {
    NORMAL,
    JSON;

    static OutputFormat parse(String text) throws CommandException {
        return switch (text) {
            case "normal" -> NORMAL;
            case "json" -> JSON;
            default -> throw new CommandException("output format '" + text + "' is neither normal nor json");
        };
    }
}
