package io.nvmf.tools.rpc;

import io.nvmf.tools.Suggestion;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What to do instead of calling a method that there is not: scripts for SPDK's target call some that have no sense here. */
final class UnknownMethod {
    private static final String DEVICES =
            "devices are not made beforehand: give nvmf_subsystem_add_ns a bdev_name like ";

    /** By how the name begins; the first that fits. */
    private static final Map<String, String> INSTEAD = new LinkedHashMap<>();

    static {
        INSTEAD.put("bdev_malloc_create", DEVICES + "memory:64m");
        INSTEAD.put("bdev_aio_create", DEVICES + "file:/dev/sdb,direct");
        INSTEAD.put("bdev_uring_create", DEVICES + "file:/dev/sdb,direct");
        INSTEAD.put("bdev_", DEVICES + "memory:64m or file:/path; nvmf_get_subsystems shows those there are");
        INSTEAD.put(
                "nvmf_create_transport",
                "transports are there when a listener names them, and limits are flags of nvmf target: leave it out");
        INSTEAD.put("nvmf_get_transports", "nvmf_get_stats names those there are");
        INSTEAD.put("nvmf_set_", "limits are flags of nvmf target, as nvmf help target shows: leave it out");
        INSTEAD.put("framework_", "the target is ready from the start: leave it out");
        INSTEAD.put("sock_", "sockets are as the machine has them: leave it out");
        INSTEAD.put("iobuf_", "memory is set by --buffer-memory of nvmf target: leave it out");
        INSTEAD.put("load_", "a configuration is read at the start: nvmf target --config FILE");
        INSTEAD.put("save_subsystem_config", "save_config saves everything");
        INSTEAD.put("spdk_kill_instance", "a target ends with SIGTERM");
    }

    private UnknownMethod() {}

    /** The end of a sentence, with the mark before it. */
    static String advice(String name, Set<String> methods) {
        for (Map.Entry<String, String> entry : INSTEAD.entrySet()) {
            if (name.startsWith(entry.getKey())) {
                return ": " + entry.getValue();
            }
        }
        return Suggestion.didYouMean(name, methods, "rpc_get_methods lists those there are");
    }
}
