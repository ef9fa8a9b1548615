package io.nvmf.tools;

import io.netty.util.NetUtil;
import io.nvmf.initiator.discovery.Discovered;
import io.nvmf.initiator.queue.NvmeStatusException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Turns what went wrong into one sentence for the person. */
public final class Failures {
    /** How native event loops begin the reason of a failure. */
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("(io_uring )?\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

    private static final Pattern LONG_IPV6 =
            Pattern.compile("(?<![0-9A-Fa-f:])[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}(?![0-9A-Fa-f:])");

    private Failures() {}

    static String sentence(Throwable failure) {
        boolean isWrapper = failure instanceof ExecutionException || failure instanceof CompletionException;
        if (isWrapper && failure.getCause() != null) {
            return sentence(failure.getCause());
        }
        if (failure instanceof FileSystemException file) {
            return file.getFile() + ": " + reason(file);
        }
        if (failure instanceof OutOfMemoryError) {
            return "out of memory; give the JVM more, or ask for smaller or fewer buffers";
        }
        String message = failure.getMessage();
        if (message == null || message.isBlank()) {
            return failure.toString();
        }
        if (failure instanceof NvmeStatusException completed) {
            message += StatusAdvice.after(completed.status());
        }
        String plain = plain(message);
        return plain.contains("Connection refused")
                ? plain + "; see that the target runs and that address and port are its own"
                : plain;
    }

    /** A message without what only a programmer reads. */
    public static String plain(String message) {
        return LONG_IPV6
                .matcher(SYSTEM_CALL.matcher(message.strip()).replaceAll(""))
                .replaceAll(address -> NetUtil.toAddressString(NetUtil.getByName(address.group()), false));
    }

    /** A referral that led nowhere. */
    static String sentence(Discovered.Unreached referral) {
        return "the referral to " + referral.options().transport() + "://"
                + HostPort.of(referral.options().remote()) + " leads nowhere: " + referral.reason();
    }

    private static String reason(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "exists already";
        }
        return failure.getReason() == null ? "cannot be used" : failure.getReason();
    }
}
