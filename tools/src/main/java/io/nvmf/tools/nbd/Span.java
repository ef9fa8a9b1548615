package io.nvmf.tools.nbd;

import java.util.ArrayList;
import java.util.List;

/**
 * A byte range seen as blocks: part of a first block, whole blocks, part of a last one, each of which may be missing.
 *
 * @param lengthBytes at least 1
 */
record Span(int blockBytes, long offset, long lengthBytes) {
    /**
     * Part of a block.
     *
     * @param at where it begins in the block
     * @param dataAt where it begins in the range
     */
    record Edge(long block, int at, int lengthBytes, int dataAt) {}

    static Span of(NbdRequest request, int blockBytes) {
        return new Span(blockBytes, request.offset(), request.lengthBytes());
    }

    private long endOffset() {
        return offset + lengthBytes;
    }

    /** Of all blocks that it touches. */
    long firstBlock() {
        return offset / blockBytes;
    }

    /** The one behind all blocks that it touches. */
    long endBlock() {
        return (endOffset() - 1) / blockBytes + 1;
    }

    boolean isWhole() {
        return headBytes() == 0 && tailBytes() == 0;
    }

    /** 0 where it begins with a block; all of it where it is within a block and does not begin it. */
    private int headBytes() {
        int at = (int) (offset % blockBytes);
        return at == 0 ? 0 : (int) Math.min(blockBytes - at, lengthBytes);
    }

    private int tailBytes() {
        return headBytes() == lengthBytes ? 0 : (int) (endOffset() % blockBytes);
    }

    /** The first block that it covers. */
    long firstWholeBlock() {
        return (offset + blockBytes - 1) / blockBytes;
    }

    /** How many blocks it covers. */
    long wholeBlocks() {
        return (lengthBytes - headBytes() - tailBytes()) / blockBytes;
    }

    /** Where those begin in the range. */
    int wholeDataAt() {
        return headBytes();
    }

    /** The blocks that it covers; null if there are none. */
    Span covered() {
        return wholeBlocks() == 0
                ? null
                : new Span(blockBytes, firstWholeBlock() * blockBytes, wholeBlocks() * blockBytes);
    }

    /** None to two. */
    List<Edge> edges() {
        List<Edge> edges = new ArrayList<>(2);
        if (headBytes() > 0) {
            edges.add(new Edge(firstBlock(), (int) (offset % blockBytes), headBytes(), 0));
        }
        if (tailBytes() > 0) {
            edges.add(new Edge(endBlock() - 1, 0, tailBytes(), (int) (lengthBytes - tailBytes())));
        }
        return edges;
    }

    /** What the blocks of the edges take up. */
    int edgeBlockBytes() {
        return edges().size() * blockBytes;
    }
}
