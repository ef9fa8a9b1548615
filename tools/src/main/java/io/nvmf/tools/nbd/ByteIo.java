package io.nvmf.tools.nbd;

import io.netty.buffer.ByteBuf;
import io.nvmf.initiator.namespace.BlockRange;
import io.nvmf.initiator.namespace.Namespace;
import io.nvmf.tools.nbd.Span.Edge;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Reads and changes byte ranges of a namespace. Of a block that a range covers in part the whole is read, and when that part
 * changes, written again; {@link ChangeOrder} keeps others from changing it in between. Buffers are lent until the future
 * is done: {@code edges} has {@link Span#edgeBlockBytes}. Any thread.
 */
final class ByteIo {
    private final Namespace namespace;

    ByteIo(Namespace namespace) {
        this.namespace = namespace;
    }

    CompletableFuture<Void> read(Span span, ByteBuf data, ByteBuf edges) {
        return all(
                span,
                edges,
                () -> namespace.read(span.firstWholeBlock(), whole(span, data)),
                (edge, block) -> namespace
                        .read(edge.block(), block)
                        .thenAccept(nothing -> data.nioBuffer(edge.dataAt(), edge.lengthBytes())
                                .put(block.slice(edge.at(), edge.lengthBytes()))));
    }

    /** @param through whether the data is on the medium when it is done */
    CompletableFuture<Void> write(Span span, ByteBuf data, ByteBuf edges, boolean through) {
        return all(
                span,
                edges,
                () -> write(span.firstWholeBlock(), whole(span, data), through),
                (edge, block) -> namespace.read(edge.block(), block).thenCompose(nothing -> {
                    block.slice(edge.at(), edge.lengthBytes()).put(data.nioBuffer(edge.dataAt(), edge.lengthBytes()));
                    return write(edge.block(), block, through);
                }));
    }

    /** @param deallocate whether the controller may give the space of whole blocks back */
    CompletableFuture<Void> writeZeroes(Span span, ByteBuf edges, boolean deallocate) {
        return all(
                span,
                edges,
                () -> namespace.writeZeroes(span.firstWholeBlock(), span.wholeBlocks(), deallocate),
                (edge, block) -> namespace.read(edge.block(), block).thenCompose(nothing -> {
                    block.slice(edge.at(), edge.lengthBytes()).put(new byte[edge.lengthBytes()]);
                    return namespace.write(edge.block(), block);
                }));
    }

    /** Of whole blocks. */
    CompletableFuture<Void> trim(Span span) {
        return namespace.deallocate(List.of(new BlockRange(span.firstBlock(), span.wholeBlocks())));
    }

    private interface EdgeIo {
        CompletableFuture<Void> run(Edge edge, ByteBuffer block);
    }

    private CompletableFuture<Void> write(long block, ByteBuffer data, boolean through) {
        return through ? namespace.writeThrough(block, data) : namespace.write(block, data);
    }

    private static ByteBuffer whole(Span span, ByteBuf data) {
        return data.nioBuffer(span.wholeDataAt(), (int) span.wholeBlocks() * span.blockBytes());
    }

    /** Done when all of it is, also what comes after a failure: until then the buffers are in use. */
    private static CompletableFuture<Void> all(
            Span span, ByteBuf edges, Supplier<CompletableFuture<Void>> whole, EdgeIo each) {
        List<CompletableFuture<Void>> parts = new ArrayList<>(3);
        if (span.wholeBlocks() > 0) {
            parts.add(whole.get());
        }
        int edgeAt = 0;
        for (Edge edge : span.edges()) {
            parts.add(each.run(edge, edges.nioBuffer(edgeAt, span.blockBytes())));
            edgeAt += span.blockBytes();
        }
        return parts.size() == 1 ? parts.get(0) : CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new));
    }
}
