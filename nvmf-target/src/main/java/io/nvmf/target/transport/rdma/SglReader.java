package io.nvmf.target.transport.rdma;

import io.nvmf.codec.SglDescriptor;
import io.nvmf.codec.Status;
import io.nvmf.target.queue.Request;
import io.nvmf.target.queue.TargetQueue;
import java.nio.ByteBuffer;

/**
 * Reads how a host describes the data of a command (NVMe-oF 1.1 s2.3.1, s7.2): in the capsule, by one keyed descriptor, or
 * by several that stand in the capsule. Owned by the queue's event loop.
 */
final class SglReader {
    /** MSDBD. */
    static final int MAX_DESCRIPTORS = 16;

    private static final int TYPE_DATA_BLOCK = 0x0;
    private static final int TYPE_LAST_SEGMENT = 0x3;
    private static final int TYPE_KEYED = 0x4;

    private final TargetQueue queue;
    private final SglDescriptor listed = new SglDescriptor();

    SglReader(TargetQueue queue) {
        this.queue = queue;
    }

    /**
     * Notes in the request, or its operation, where the data is.
     *
     * @param capsuleData what came in the capsule; not looked at when it carried nothing
     * @param capsuleDataBytes how much that is
     * @return a status
     */
    int read(Operation operation, SglDescriptor sgl, ByteBuffer capsuleData, int capsuleDataBytes) {
        Request request = operation.request;
        switch (sgl.identifier()) {
            case SglDescriptor.KEYED, SglDescriptor.KEYED_INVALIDATE -> {
                int status = queue.checkLength(request, sgl.keyedLengthBytes());
                if (status == Status.SUCCESS) {
                    add(operation, sgl, request.dataLength());
                }
                return status;
            }
            case SglDescriptor.IN_CAPSULE -> {
                if (!request.receivesData()) {
                    return Status.INVALID_FIELD | Status.DNR;
                }
                if (!isInside(sgl, capsuleDataBytes)) {
                    return Status.SGL_OFFSET_INVALID | Status.DNR;
                }
                request.dataInCapsule((int) sgl.address());
                return queue.checkLength(request, sgl.lengthBytes());
            }
            case SglDescriptor.LAST_SEGMENT_IN_CAPSULE -> {
                return readList(operation, sgl, capsuleData, capsuleDataBytes);
            }
            default -> {
                return Status.DNR | unknown(sgl.identifier());
            }
        }
    }

    private static boolean isInside(SglDescriptor sgl, int capsuleDataBytes) {
        long skip = sgl.address();
        return skip >= 0 && skip <= capsuleDataBytes && sgl.lengthBytes() <= capsuleDataBytes - skip;
    }

    /** A type that there is, in a form that is not for here, or another type. */
    private static int unknown(int identifier) {
        return switch (identifier >> 4) {
            case TYPE_DATA_BLOCK, TYPE_LAST_SEGMENT, TYPE_KEYED -> Status.INVALID_FIELD;
            default -> Status.SGL_TYPE_INVALID;
        };
    }

    private int readList(Operation operation, SglDescriptor sgl, ByteBuffer capsuleData, int capsuleDataBytes) {
        long listBytes = sgl.lengthBytes();
        if (!isInside(sgl, capsuleDataBytes)) {
            return Status.SGL_OFFSET_INVALID | Status.DNR;
        }
        if (listBytes == 0 || listBytes % SglDescriptor.BYTES != 0) {
            return Status.SGL_SEGMENT_DESCRIPTOR_INVALID | Status.DNR;
        }
        int count = (int) listBytes / SglDescriptor.BYTES;
        if (count > MAX_DESCRIPTORS) {
            return Status.SGL_DESCRIPTOR_COUNT_INVALID | Status.DNR;
        }
        int start = (int) sgl.address();
        long described = 0;
        for (int i = 0; i < count; i++) {
            listed.wrap(capsuleData, start + i * SglDescriptor.BYTES);
            if (!isKeyed(listed.identifier())) {
                return Status.SGL_TYPE_INVALID | Status.DNR;
            }
            described += listed.keyedLengthBytes();
        }
        int status = queue.checkLength(operation.request, described);
        int left = operation.request.dataLength();
        for (int i = 0; i < count && status == Status.SUCCESS; i++) {
            listed.wrap(capsuleData, start + i * SglDescriptor.BYTES);
            left -= add(operation, listed, left);
        }
        return status;
    }

    private static boolean isKeyed(int identifier) {
        return identifier == SglDescriptor.KEYED || identifier == SglDescriptor.KEYED_INVALIDATE;
    }

    /** Adds what a descriptor describes, up to so many bytes. @return how many it was */
    private static int add(Operation operation, SglDescriptor keyed, int mostBytes) {
        int length = Math.min(keyed.keyedLengthBytes(), mostBytes);
        if (length > 0) {
            operation.addPiece(keyed.address(), length, keyed.key());
        }
        if (keyed.identifier() == SglDescriptor.KEYED_INVALIDATE) {
            operation.invalidate(keyed.key());
        }
        return length;
    }
}
