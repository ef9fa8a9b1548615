package io.nvmf.tools.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.tools.SocketFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Asks a target, one request at a time. Blocks. */
public final class RpcClient implements AutoCloseable {
    private final SocketChannel channel;
    private final JsonStream stream;
    private int nextId = 1;

    private RpcClient(SocketChannel channel) {
        this.channel = channel;
        this.stream = new JsonStream(channel, JsonStream.MAX_ANSWER_BYTES, () -> {});
    }

    /** @throws IOException when nobody listens there; the message is one sentence */
    public static RpcClient connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean connected = false;
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            connected = true;
            return new RpcClient(channel);
        } catch (IOException e) {
            throw new IOException(whyNot(socket, e), e);
        } finally {
            if (!connected) {
                channel.close();
            }
        }
    }

    private static String whyNot(Path socket, IOException failure) {
        String advice = ": start a target with --rpc-socket, or name its socket with --socket";
        try {
            if (!SocketFile.isSocket(socket.toRealPath())) {
                return socket + " is no socket" + advice;
            }
            return Files.isWritable(socket)
                    ? "no target listens on " + socket + advice
                    : socket + " belongs to " + Files.getOwner(socket)
                            + ", and only its owner may use it (mode 0600): run this as that user";
        } catch (NoSuchFileException e) {
            return "there is no " + socket + advice;
        } catch (AccessDeniedException e) {
            return "you may not look into the directory of " + socket
                    + ": run this as the user that the target runs as";
        } catch (IOException e) {
            return "no target can be reached by " + socket + " (" + failure.getMessage() + ")" + advice;
        }
    }

    /**
     * The result of a method.
     *
     * @throws RpcException with what the target says against it
     * @throws IOException when the target answers nothing, or something else
     */
    public JsonNode call(String method, ObjectNode params) throws IOException, RpcException {
        int id = nextId++;
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.put("jsonrpc", "2.0").put("id", id).put("method", method);
        if (!params.isEmpty()) {
            request.set("params", params);
        }
        stream.write(request);
        JsonNode answer = read();
        JsonNode error = answer.get("error");
        boolean isOurs = answer.path("id").asInt() == id
                || error != null && answer.path("id").isNull();
        if (!isOurs) {
            throw new IOException("the target has answered something else than the request");
        }
        if (error != null) {
            throw new RpcException(
                    error.path("code").asInt(), error.path("message").asText());
        }
        return answer.path("result");
    }

    private JsonNode read() throws IOException {
        JsonNode answer;
        try {
            answer = stream.read();
        } catch (RpcException e) {
            throw new IOException("the target's answer cannot be read: " + e.getMessage(), e);
        }
        if (answer == null) {
            throw new IOException("the target has closed the connection without an answer");
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
