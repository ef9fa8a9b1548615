package io.nvmf.target.command.admin;

import io.nvmf.codec.feature.FeaturesCommand;
import io.nvmf.target.command.Command;

/**
 * One feature (NVMe Base 2.0 s5.27). Stateless.
 *
 * @param capabilities what SEL 3 tells: {@code FeaturesCommand.CAPABILITY_} bits
 * @param length how much data a Get or Set moves
 * @param current what Get tells
 * @param initial what Get tells when asked for the default or, since nothing can be saved, for what is saved
 * @param setter what Set does
 */
record Feature(int capabilities, Length length, Getter current, Getter initial, Setter setter) {
    interface Length {
        /** Bytes, or a {@link io.nvmf.target.command.CommandHandler#refuse}. */
        long of(Command command);
    }

    interface Getter {
        /** DW0, or a {@link io.nvmf.target.command.CommandHandler#refuse}; fills the data of the command, if it has some. */
        long get(Command command);
    }

    interface Setter {
        /** Completes the command. */
        void set(Command command, long value);
    }

    boolean is(int capability) {
        return (capabilities & capability) != 0;
    }

    boolean isNamespaceSpecific() {
        return is(FeaturesCommand.CAPABILITY_NAMESPACE_SPECIFIC);
    }

    boolean isChangeable() {
        return is(FeaturesCommand.CAPABILITY_CHANGEABLE);
    }
}
