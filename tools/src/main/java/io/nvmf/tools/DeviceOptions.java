package io.nvmf.tools;

import static io.nvmf.tools.CommonOptions.flag;
import static io.nvmf.tools.CommonOptions.value;

import java.util.List;
import org.apache.commons.cli.Option;

/** Options that several {@link DeviceCommand}s share, spelled as in nvme-cli. */
final class DeviceOptions {
    /** NR of Dataset Management and Copy has 8 bits. */
    private static final int MAX_RANGES = 256;

    static final String RAW_BINARY = "raw-binary";
    static final String START_BLOCK = "start-block";
    static final String BLOCK_COUNT = "block-count";
    static final String LIMITED_RETRY = "limited-retry";
    static final String FORCE_UNIT_ACCESS = "force-unit-access";

    private DeviceOptions() {}

    static Option namespace(String description) {
        return value("n", HostOptions.NAMESPACE_ID, "NSID", description);
    }

    static Option rawBinary() {
        return flag("b", RAW_BINARY, "write the bytes as they came to standard output");
    }

    static Option startBlock() {
        return value("s", START_BLOCK, "N", "first block (default 0)");
    }

    static Option blockCount() {
        return value("c", BLOCK_COUNT, "N", "blocks, zero-based: 0 is one block, 7 are eight (default 0)");
    }

    static Option limitedRetry() {
        return flag("l", LIMITED_RETRY, "the controller should try less to recover data (LR)");
    }

    static Option forceUnitAccess() {
        return flag("f", FORCE_UNIT_ACCESS, "on the medium before the command completes (FUA)");
    }

    /** Refuses ranges that a command cannot have: none, more than 256, or another number of lengths. */
    static void requireRanges(String startOption, List<Long> starts, String otherOption, List<Long> others)
            throws UsageException {
        if (starts.isEmpty() || starts.size() > MAX_RANGES) {
            throw new UsageException("give 1 to " + MAX_RANGES + " ranges with --" + startOption);
        }
        if (starts.size() != others.size()) {
            throw new UsageException("--" + startOption + " has " + starts.size() + " values and --" + otherOption + " "
                    + others.size() + ": each range needs one of each");
        }
    }
}
