package io.nvmf.tools;

import io.nvmf.codec.Nqn;
import java.util.List;
import java.util.UUID;
import org.apache.commons.cli.Options;

/** {@code nvmf gen-hostnqn}: a name for a host that no other has. */
final class GenHostNqnCommand implements Command {
    @Override
    public String name() {
        return "gen-hostnqn";
    }

    @Override
    public String summary() {
        return "make a new host NQN";
    }

    @Override
    public List<String> examples() {
        return List.of("nvmf gen-hostnqn > /etc/nvme/hostnqn");
    }

    @Override
    public Options options() {
        return new Options();
    }

    @Override
    public int run(Arguments arguments, Console console) throws CommandException {
        arguments.requireWords(0);
        console.out().println(Nqn.UUID_PREFIX + UUID.randomUUID());
        return Nvmf.SUCCESS;
    }
}
