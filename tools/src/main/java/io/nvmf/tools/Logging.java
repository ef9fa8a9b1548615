package io.nvmf.tools;

/** Sets up the log on stderr; must run before anything makes a logger, for later it has no effect. */
final class Logging {
    private static final String PREFIX = "org.slf4j.simpleLogger.";

    private Logging() {}

    static void configure(boolean verbose, boolean service) {
        setDefault("defaultLogLevel", verbose ? "debug" : service ? "info" : "error");
        setDefault("log.io.netty", verbose ? "info" : "error");
        setDefault("showDateTime", "true");
        setDefault("dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
        setDefault("showShortLogName", "true");
        setDefault("logFile", "System.err");
    }

    /** What was given to the JVM wins. */
    private static void setDefault(String name, String value) {
        if (System.getProperty(PREFIX + name) == null) {
            System.setProperty(PREFIX + name, value);
        }
    }
}
