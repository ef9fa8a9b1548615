package io.nvmf.conformance.suite;

import io.nvmf.conformance.Catalog;
import io.nvmf.conformance.Check;
import io.nvmf.conformance.CheckCase;
import io.nvmf.conformance.Level;
import io.nvmf.conformance.Needs;
import io.nvmf.conformance.Suite;
import io.nvmf.conformance.SuiteName;
import io.nvmf.conformance.fuzz.FuzzCase;
import io.nvmf.conformance.fuzz.FuzzPlayer;
import java.io.IOException;

/** One case of {@link FuzzSuite} once more; not in the {@link Catalog}, for it needs the case. */
@SuiteName(value = "STRESS.REPLAY", over = SuiteName.Over.TCP)
public final class FuzzReplaySuite extends Suite {
    private final FuzzCase fuzz;

    private FuzzReplaySuite(FuzzCase fuzz) {
        this.fuzz = fuzz;
    }

    /** The check that plays this case. */
    public static CheckCase of(FuzzCase fuzz) {
        return Catalog.checksOf(() -> new FuzzReplaySuite(fuzz)).findFirst().orElseThrow();
    }

    @Check(
            says =
                    "the bytes of a case that was kept: each command is completed, or the connection ended, and a new one works",
            source = "STRESS.FUZZ",
            level = Level.ROBUST,
            needs = {Needs.DATA_LOSS, Needs.DISRUPTION})
    void kept() throws IOException {
        try (FuzzPlayer player = new FuzzPlayer(bench())) {
            player.play(fuzz);
        }
        expectAlive();
    }
}
