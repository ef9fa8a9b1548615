package io.nvmf.tools;

import io.nvmf.codec.Status;
import java.util.Map;

/** What to look at when a command completed with a status, for those that puzzle people. */
final class StatusAdvice {
    private static final String OTHER_PATH =
            "the namespace cannot be reached by this path now; see nvmf list-subsys for others";

    private static final Map<Integer, String> ADVICE = Map.ofEntries(
            Map.entry(Status.INVALID_NAMESPACE_OR_FORMAT, "see nvmf list for the namespaces there are"),
            Map.entry(Status.LBA_OUT_OF_RANGE, "see nvmf id-ns for the size of the namespace (nsze)"),
            Map.entry(Status.SGL_DATA_LENGTH_INVALID, "the command moves another number of bytes"),
            Map.entry(Status.CAPACITY_EXCEEDED, "what holds the namespace on the target is full"),
            Map.entry(
                    Status.NAMESPACE_WRITE_PROTECTED,
                    "see nvmf get-feature -f 0x84; nvmf set-feature -f 0x84 -v 0 allows writes again"),
            Map.entry(
                    Status.RESERVATION_CONFLICT,
                    "a reservation of another host forbids it; see nvmf resv-report, and nvmf resv-register to take part"),
            Map.entry(
                    Status.FEATURE_NOT_SAVEABLE,
                    "leave --save out; write protection of state 1 outlives the controller without it"),
            Map.entry(
                    Status.FEATURE_NOT_CHANGEABLE,
                    "it cannot be changed now; write protection of state 2 ends when the target starts anew, of state 3 never"),
            Map.entry(Status.COMPARE_FAILURE, "the blocks differ from the data"),
            Map.entry(
                    Status.UNRECOVERED_READ_ERROR,
                    "the blocks are lost, or were given up by write-uncor; writing them makes them readable again"),
            Map.entry(Status.ANA_INACCESSIBLE, OTHER_PATH),
            Map.entry(Status.ANA_PERSISTENT_LOSS, OTHER_PATH),
            Map.entry(Status.ANA_TRANSITION, OTHER_PATH));

    private StatusAdvice() {}

    /** Begins with what parts it from a sentence before it; empty when there is nothing to say. */
    static String after(int status) {
        String advice = ADVICE.get(Status.withoutFlags(status));
        return advice == null ? "" : ": " + advice;
    }
}
