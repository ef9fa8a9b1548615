package io.nvmf.tools.rpc;

import com.fasterxml.jackson.databind.JsonNode;
import io.nvmf.tools.CommandException;
import io.nvmf.tools.config.ConfigObject;
import java.io.IOException;

/** One method. Called on the thread of a client, several at a time. */
interface RpcMethod {
    /**
     * Does it.
     *
     * @param params by name; none is an empty object
     * @throws CommandException when the parameters cannot be
     * @throws IllegalArgumentException the same
     * @throws IOException when the machine refuses
     */
    JsonNode call(ConfigObject params) throws CommandException, IOException;
}
