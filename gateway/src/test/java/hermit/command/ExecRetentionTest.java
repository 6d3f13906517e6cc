package hermit.command;

import static hermit.StoresUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.exec.Exit;
import hermit.sandbox.Sandbox;
import hermit.world.TestWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ExecRetentionTest {
    private static final int OUTPUT = 1_000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Kind.class)
    void output_is_kept_up_to_the_quota_however_many_commands_there_are(Kind kind) throws Exception {
        try (var stores = kind.open(directory)) {
            var sandbox = stores.sandbox(stores.agent("main"), "default");
            var records = new ArrayList<ExecRecord>();
            for (int i = 0; i < 1_200; i++) records.add(ended(stores, sandbox, i));
            var world = new TestWorld().world();
            new ExecRetention(stores.execs, Duration.ofDays(7), 1_200 * OUTPUT, world).keepToQuota();
            assertThat(stores.execs.outputBytes()).isEqualTo(1_200 * OUTPUT);

            new ExecRetention(stores.execs, Duration.ofDays(7), 10 * OUTPUT + 1, world).keepToQuota();

            assertThat(stores.execs.outputBytes()).isEqualTo(10 * OUTPUT);
            assertThat(stores.execs.output(records.get(1_190).id()).stdout()).hasSize(OUTPUT);
            assertThat(stores.execs.output(records.get(1_189).id()).stdout()).isEmpty();
            assertThat(stores.execs
                            .find(sandbox.id(), records.get(1_189).id())
                            .orElseThrow()
                            .notes())
                    .last()
                    .asString()
                    .startsWith("its output is not kept any more")
                    .contains("retention.exec_output_bytes (10001)");
        }
    }

    private static ExecRecord ended(StoresUnderTest stores, Sandbox sandbox, int second) {
        ExecRecord record = stores.newExec(sandbox, Optional.empty(), NOW);
        stores.execs.insert(record, NOW);
        var outcome = Outcome.of(new Exit.Exited(0), Duration.ofMillis(5), NOW.plusSeconds(second));
        ExecRecord done = record.ended(outcome, OUTPUT, 0, record.notes());
        stores.execs.ended(done, new StoredOutput(new byte[OUTPUT], new byte[0]));
        return done;
    }
}
