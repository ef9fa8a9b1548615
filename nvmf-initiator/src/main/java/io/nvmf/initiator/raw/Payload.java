package io.nvmf.initiator.raw;

import io.nvmf.codec.SglDescriptor;
import java.util.function.Consumer;

/**
 * The data of a command and how it travels.
 *
 * @param out what the host sends; empty when it sends none
 * @param inCapsule whether that travels in the capsule, else the target fetches it
 * @param leastInBytes how much must come before success
 * @param inBytes how much the host expects
 * @param sgl changes SGL1 after it was made to fit; {@link #AS_MADE} leaves it
 */
public record Payload(byte[] out, boolean inCapsule, int leastInBytes, int inBytes, Consumer<SglDescriptor> sgl) {
    private static final byte[] EMPTY = {};
    private static final Consumer<SglDescriptor> AS_MADE = descriptor -> {};

    public static final Payload NONE = new Payload(EMPTY, false, 0, 0, AS_MADE);

    /** Data in the capsule, behind the entry; over RDMA by RDMA READ all the same when the capsule has no such room. */
    public static Payload inCapsule(byte... out) {
        return new Payload(out, true, 0, 0, AS_MADE);
    }

    /** Data that the target asks for: by R2T, or RDMA READ. */
    public static Payload fetched(byte... out) {
        return new Payload(out, false, 0, 0, AS_MADE);
    }

    /** Data that the target sends: C2HData, or RDMA WRITE. */
    public static Payload in(int lengthBytes) {
        return in(lengthBytes, lengthBytes);
    }

    /** Data of which the target may send less than it is described as. */
    public static Payload in(int leastBytes, int mostBytes) {
        return new Payload(EMPTY, false, leastBytes, mostBytes, AS_MADE);
    }

    /** The same data, which its descriptor says to be so long, of whatever kind it is. */
    public Payload describedAs(long lengthBytes) {
        return sgl(descriptor -> {
            boolean keyed = descriptor.identifier() >> 4 == SglDescriptor.KEYED >> 4;
            if (keyed) {
                boolean invalidate = descriptor.identifier() == SglDescriptor.KEYED_INVALIDATE;
                int length = (int) Math.min(lengthBytes, SglDescriptor.KEYED_LENGTH_MAX);
                descriptor.setKeyed(descriptor.address(), length, descriptor.key(), invalidate);
            } else {
                descriptor.set(descriptor.identifier(), descriptor.address(), lengthBytes);
            }
        });
    }

    /** The same data with another descriptor. */
    public Payload sgl(Consumer<SglDescriptor> change) {
        return new Payload(out, inCapsule, leastInBytes, inBytes, change);
    }
}
