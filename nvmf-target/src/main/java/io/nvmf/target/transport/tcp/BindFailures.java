package io.nvmf.target.transport.tcp;

import java.util.LinkedHashMap;
import java.util.Map;

/** Says why an address could not be listened on and what to do, whatever kind of event loop tried. */
final class BindFailures {
    private static final Map<String, String> ADVICE = new LinkedHashMap<>();

    static {
        ADVICE.put("in use", "the address is in use; stop the program that has it or choose another port");
        ADVICE.put("assign requested address", "this machine has no such address");
        ADVICE.put("Permission denied", "ports below 1024 are not for this user; choose another port");
    }

    private BindFailures() {}

    /** The end of a sentence. */
    static String reason(Throwable cause) {
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        for (Map.Entry<String, String> entry : ADVICE.entrySet()) {
            if (message.contains(entry.getKey())) {
                return entry.getValue();
            }
        }
        return message;
    }
}
