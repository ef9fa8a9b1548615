package io.nvmf.transport.rdma.nativeverbs;

import io.nvmf.transport.rdma.ConnectionParameters;
import io.nvmf.transport.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Memory for what one call to librdmacm takes or gives: a pointer or number, a socket address, the parameters of a
 * connection with its private data. Used again by the next call; owned by the loop of one connection manager.
 */
final class Scratch {
    /** A length of private data is a byte. */
    private static final int PRIVATE_DATA_BYTES = 255;

    private static final int OUT = 0;
    private static final int ADDRESS = 8;
    private static final int CONN = 40;
    private static final int PRIVATE_DATA = CONN + Layout.CONN_BYTES;

    private final ByteBuffer memory;
    private final long address;

    Scratch() throws RdmaException {
        memory = NativeMemory.allocate(PRIVATE_DATA + PRIVATE_DATA_BYTES);
        address = NativeMemory.addressOf(memory);
    }

    /** Where a call may leave a pointer or find a number. */
    long outAddress() {
        return address + OUT;
    }

    long out() {
        return memory.getLong(OUT);
    }

    long putNumber(int number) {
        memory.putInt(OUT, number);
        return outAddress();
    }

    long putAddress(InetSocketAddress socketAddress) {
        SocketAddresses.write(socketAddress, memory, ADDRESS);
        return address + ADDRESS;
    }

    /** Copies the bytes between position and limit; returns how many. */
    int putPrivateData(ByteBuffer data) {
        int length = data.remaining();
        if (length > PRIVATE_DATA_BYTES) {
            throw new IllegalArgumentException("private data of " + length + " bytes");
        }
        memory.put(PRIVATE_DATA, data, data.position(), length);
        return length;
    }

    long privateDataAddress() {
        return address + PRIVATE_DATA;
    }

    /** struct rdma_conn_param with the private data that was put before. */
    long putConnectionParameters(int privateDataLength, int responderResources, int initiatorDepth) {
        memory.putLong(CONN + Layout.CONN_PRIVATE_DATA, privateDataAddress())
                .put(CONN + Layout.CONN_PRIVATE_DATA_LEN, (byte) privateDataLength)
                .put(CONN + Layout.CONN_RESPONDER_RESOURCES, (byte) responderResources)
                .put(CONN + Layout.CONN_INITIATOR_DEPTH, (byte) initiatorDepth)
                .put(CONN + Layout.CONN_RETRY_COUNT, (byte) ConnectionParameters.RETRY_COUNT)
                .put(CONN + Layout.CONN_RNR_RETRY_COUNT, (byte) ConnectionParameters.RNR_RETRY_COUNT);
        return address + CONN;
    }
}
