package io.nvmf.target.transport.rdma;

import io.nvmf.target.queue.Request;
import io.nvmf.transport.MemoryBlock;
import java.util.Arrays;

/**
 * One command from the arrival of its capsule until the host has its response. Its number is that of the response's place
 * in memory. Made once a queue, used for many commands. Owned by the queue's event loop.
 */
final class Operation {
    final int number;

    /** Null when the command is completed, though the response is not sent. */
    Request request;
    /** Which receive the capsule came in. */
    int receive;

    // Where the host has the data: the first pieces, as long as the command moves some.
    int pieces;
    long[] addresses = new long[1];
    int[] lengths = new int[1];
    int[] keys = new int[1];
    boolean invalidates;
    int invalidatedKey;

    // Of data that is fetched: how many pieces have been asked for, and how much of it, and how many have come.
    int piecesAsked;
    int bytesAsked;
    int piecesFetched;

    /** Of data that is sent: where it is, until the device has read it. */
    MemoryBlock sending;

    Operation(int number) {
        this.number = number;
    }

    void begin(Request newRequest, int newReceive) {
        request = newRequest;
        receive = newReceive;
        pieces = 0;
        invalidates = false;
        piecesAsked = 0;
        bytesAsked = 0;
        piecesFetched = 0;
        sending = null;
    }

    void addPiece(long address, int lengthBytes, int key) {
        if (pieces == addresses.length) {
            grow();
        }
        addresses[pieces] = address;
        lengths[pieces] = lengthBytes;
        keys[pieces] = key;
        pieces++;
    }

    /** For the first command of several pieces, to the most there can be. */
    private void grow() {
        addresses = Arrays.copyOf(addresses, SglReader.MAX_DESCRIPTORS);
        lengths = Arrays.copyOf(lengths, SglReader.MAX_DESCRIPTORS);
        keys = Arrays.copyOf(keys, SglReader.MAX_DESCRIPTORS);
    }

    /** The key, of several the first, that the host wants invalidated with the response. */
    void invalidate(int key) {
        if (!invalidates) {
            invalidates = true;
            invalidatedKey = key;
        }
    }
}
