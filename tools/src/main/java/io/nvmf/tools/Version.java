package io.nvmf.tools;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version that was built. */
final class Version {
    private Version() {}

    static String text() {
        return "nvmf4j " + number() + " (Java " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                + System.getProperty("os.arch") + ")";
    }

    private static String number() {
        Properties properties = new Properties();
        try (InputStream stream = Version.class.getResourceAsStream("version.properties")) {
            if (stream != null) {
                properties.load(stream);
            }
        } catch (IOException e) {
            // A jar that cannot be read has worse to tell elsewhere.
        }
        return properties.getProperty("version", "of unknown version");
    }
}
