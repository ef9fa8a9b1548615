package io.nvmf.tools.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.config.ConfigFile;
import io.nvmf.tools.config.ConfigObject;
import java.io.IOException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** JSON-RPC 2.0: from a request, or a batch, to its answer. Thread safe. */
final class RpcDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(RpcDispatcher.class);
    private static final int MAX_BATCH = 64;
    private static final String VERSION = "2.0";

    private final Map<String, RpcMethod> methods;

    RpcDispatcher(Map<String, RpcMethod> methods) {
        this.methods = methods;
    }

    /** Does what was asked. @return the answer; null when none is wanted */
    JsonNode answer(JsonNode message) {
        if (!message.isArray()) {
            return answerOne(message);
        }
        if (message.isEmpty() || message.size() > MAX_BATCH) {
            return failure(
                    null,
                    new RpcException(RpcException.INVALID_REQUEST, "a batch has 1 to " + MAX_BATCH + " requests"));
        }
        ArrayNode answers = JsonNodeFactory.instance.arrayNode();
        for (JsonNode request : message) {
            JsonNode answer = answerOne(request);
            if (answer != null) {
                answers.add(answer);
            }
        }
        return answers.isEmpty() ? null : answers;
    }

    private JsonNode answerOne(JsonNode request) {
        JsonNode id = request.get("id");
        boolean idIsScalar = id == null || id.isNull() || id.isTextual() || id.isNumber() && isFinite(id);
        try {
            if (!request.isObject() || !idIsScalar) {
                throw new RpcException(
                        RpcException.INVALID_REQUEST,
                        idIsScalar ? "this is no request" : "the id is no text, number or null that can be given back");
            }
            JsonNode result = call(request);
            if (id == null) {
                return null;
            }
            ObjectNode answer = envelope(id);
            answer.set("result", result);
            return answer;
        } catch (RpcException e) {
            boolean notification = id == null && request.isObject() && e.code() != RpcException.INVALID_REQUEST;
            return notification ? null : failure(idIsScalar ? id : null, e);
        }
    }

    /** A number with a fraction or an exponent may be more than what it is read into. */
    private static boolean isFinite(JsonNode number) {
        return !number.isFloatingPointNumber() || Double.isFinite(number.doubleValue());
    }

    private JsonNode call(JsonNode request) throws RpcException {
        JsonNode version = request.get("jsonrpc");
        if (version != null && !VERSION.equals(version.textValue())) {
            throw new RpcException(RpcException.INVALID_REQUEST, "jsonrpc is not \"2.0\"");
        }
        JsonNode name = request.get("method");
        if (name == null || !name.isTextual()) {
            throw new RpcException(RpcException.INVALID_REQUEST, "the request has no method");
        }
        RpcMethod method = methods.get(name.textValue());
        if (method == null) {
            throw new RpcException(
                    RpcException.METHOD_NOT_FOUND,
                    "Method not found" + UnknownMethod.advice(name.textValue(), methods.keySet()));
        }
        JsonNode params = request.get("params");
        boolean none = params == null || params.isNull() || params.isArray() && params.isEmpty();
        if (!none && !params.isObject()) {
            throw new RpcException(RpcException.INVALID_PARAMS, "params is no object: give parameters by name");
        }
        return run(name.textValue(), method, none ? JsonNodeFactory.instance.objectNode() : params);
    }

    private static JsonNode run(String name, RpcMethod method, JsonNode params) throws RpcException {
        try {
            return method.call(ConfigObject.root(new ConfigFile(name), params));
        } catch (CommandException | IllegalArgumentException e) {
            throw new RpcException(RpcException.INVALID_PARAMS, e.getMessage(), e);
        } catch (IOException | IllegalStateException e) {
            throw new RpcException(RpcException.INTERNAL_ERROR, e.getMessage(), e);
        } catch (RuntimeException e) {
            LOG.error("{} failed", name, e);
            throw new RpcException(RpcException.INTERNAL_ERROR, "an error of our own, " + e, e);
        }
    }

    static ObjectNode failure(JsonNode id, RpcException e) {
        ObjectNode answer = envelope(id == null ? NullNode.instance : id);
        answer.putObject("error").put("code", e.code()).put("message", e.getMessage());
        return answer;
    }

    private static ObjectNode envelope(JsonNode id) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("jsonrpc", VERSION);
        answer.set("id", id);
        return answer;
    }
}
