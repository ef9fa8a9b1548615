package io.nvmf.it.linux;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Whether the kernel guest can boot here, asked of the guest script itself. */
final class GuestAvailable implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String reason;
        try {
            Process check = new ProcessBuilder(
                            House.TOP.resolve("it-tests/guest/guest").toString(), "--check")
                    .redirectErrorStream(true)
                    .start();
            reason = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            if (check.waitFor() == 0) {
                return ConditionEvaluationResult.enabled("the kernel guest can boot");
            }
        } catch (IOException e) {
            reason = "the kernel guest cannot be asked: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reason = "interrupted";
        }
        System.out.println("SKIP " + context.getDisplayName() + ": " + reason);
        return ConditionEvaluationResult.disabled(reason);
    }
}
