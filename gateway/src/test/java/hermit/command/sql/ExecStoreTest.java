package hermit.command.sql;

import static hermit.StoresUnderTest.GATEWAY;
import static hermit.StoresUnderTest.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.Racing;
import hermit.StoresUnderTest;
import hermit.StoresUnderTest.Kind;
import hermit.command.ExecFilter;
import hermit.command.ExecRecord;
import hermit.command.Outcome;
import hermit.command.StoredOutput;
import hermit.exec.Command.Program;
import hermit.exec.Command.Terminal;
import hermit.exec.Exit;
import hermit.paging.PageRequest;
import hermit.sandbox.Sandbox;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Kind.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class ExecStoreTest {
    private static final Instant A_DAY_AGO = NOW.minus(Duration.ofHours(24));
    private static final byte[] BYTES = {0, 1, (byte) 0xFF, (byte) 0xC3, 10};

    private final Kind kind;

    @TempDir
    Path directory;

    private StoresUnderTest stores;
    private Sandbox sandbox;

    ExecStoreTest(Kind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void open() {
        stores = kind.open(directory);
        sandbox = stores.sandbox(stores.agent("main"), "default");
    }

    @AfterEach
    void close() {
        stores.close();
    }

    @Test
    void a_command_is_found_as_it_was_stored_in_its_own_sandbox_only() {
        ExecRecord shell = insert(Optional.of("key"), NOW);
        ExecRecord argv =
                with(stores.newExec(sandbox, Optional.empty(), NOW), new Program.Argv(List.of("ls", "a b", "")));
        assertThat(stores.execs.insert(argv, A_DAY_AGO)).isEmpty();
        Sandbox other = stores.sandbox(stores.agent("other"), "default");

        assertThat(stores.execs.find(sandbox.id(), shell.id())).contains(shell);
        assertThat(stores.execs.find(sandbox.id(), argv.id())).contains(argv);
        assertThat(stores.execs.find(other.id(), shell.id())).isEmpty();
    }

    @Test
    void a_command_starts_and_ends_once() {
        ExecRecord started = insert(Optional.empty(), NOW).started(4, List.of("note"), NOW.plusNanos(1_000));
        stores.execs.started(started);
        assertThat(stores.execs.find(sandbox.id(), started.id())).contains(started);
        assertThat(stores.execs.open(GATEWAY)).containsExactly(started);

        ExecRecord ended = started.ended(
                Outcome.of(new Exit.Signaled(11), Duration.ofNanos(1_234_567_891), NOW.plusSeconds(2)),
                5,
                6_000_000_000L,
                List.of("note", "another"));
        assertThat(stores.execs.ended(ended, new StoredOutput(BYTES, new byte[0])))
                .isTrue();

        assertThat(stores.execs.find(sandbox.id(), ended.id())).contains(ended);
        assertThat(stores.execs.output(ended.id()).stdout()).isEqualTo(BYTES);
        assertThat(stores.execs.output(ended.id()).stderr()).isEmpty();
        assertThat(stores.execs.open(GATEWAY)).isEmpty();
    }

    @Test
    void a_wish_to_cancel_is_kept_until_the_end() {
        ExecRecord wanted = insert(Optional.empty(), NOW);
        insert(Optional.empty(), NOW);
        assertThat(stores.execs.cancelled(GATEWAY)).isEmpty();

        assertThat(stores.execs.cancel(wanted.id(), NOW)).isTrue();
        assertThat(stores.execs.cancel(wanted.id(), NOW.plusSeconds(1))).isTrue();

        assertThat(stores.execs.cancelled(GATEWAY)).containsExactly(wanted.id());
        assertThat(stores.execs.cancelled(new UUID(9, 9))).isEmpty();
        stores.execs.started(wanted.started(3, List.of(), NOW));
        assertThat(stores.execs.cancelled(GATEWAY)).containsExactly(wanted.id());
        stores.execs.ended(wanted.ended(exited(NOW), 0, 0, List.of()), StoredOutput.NONE);
        assertThat(stores.execs.cancelled(GATEWAY)).isEmpty();
        assertThat(stores.execs.cancel(wanted.id(), NOW)).isFalse();
    }

    @Test
    void the_first_outcome_stays() {
        ExecRecord record = insert(Optional.empty(), NOW);
        ExecRecord first = record.ended(Outcome.notStarted("no_shell", "why\0", NOW), 0, 0, List.of());
        ExecRecord second = record.ended(exited(NOW), 1, 1, List.of());
        assertThat(stores.execs.ended(first, StoredOutput.NONE)).isTrue();

        assertThat(stores.execs.ended(second, new StoredOutput(BYTES, BYTES))).isFalse();
        stores.execs.started(record.started(9, List.of(), NOW));

        assertThat(stores.execs.find(sandbox.id(), record.id()).flatMap(ExecRecord::outcome))
                .hasValueSatisfying(outcome ->
                        assertThat(outcome.failure().map(Outcome.Failure::code)).contains("no_shell"));
        assertThat(stores.execs.find(sandbox.id(), record.id()).map(ExecRecord::generation))
                .contains(3L);
        assertThat(stores.execs.output(record.id()).stdout()).isEmpty();
    }

    @Test
    void of_many_outcomes_exactly_one_is_stored() throws Exception {
        ExecRecord record = insert(Optional.empty(), NOW);
        ExecRecord ended = record.ended(exited(NOW), 0, 0, List.of());

        var finish =
                Racing.of(Stream.generate(() -> (Callable<Boolean>) () -> stores.execs.ended(ended, StoredOutput.NONE))
                        .limit(8)
                        .toList());

        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results().stream().filter(Boolean::booleanValue)).hasSize(1);
    }

    @Test
    void a_repeated_key_is_answered_with_the_first_command() {
        ExecRecord first = insert(Optional.of("key"), NOW);
        ExecRecord second = stores.newExec(sandbox, Optional.of("key"), NOW);

        assertThat(stores.execs.insert(second, A_DAY_AGO)).contains(first);
        assertThat(stores.execs.find(sandbox.id(), second.id())).isEmpty();

        Sandbox other = stores.sandbox(stores.agent("other"), "default");
        assertThat(stores.execs.insert(stores.newExec(other, Optional.of("key"), NOW), A_DAY_AGO))
                .isEmpty();
        assertThat(stores.execs.insert(by("somebody-else", Optional.of("key")), A_DAY_AGO))
                .isEmpty();
    }

    @Test
    void a_key_that_is_old_enough_can_be_used_again() {
        ExecRecord exactly = insert(Optional.of("exactly"), A_DAY_AGO);
        ExecRecord older = insert(Optional.of("older"), A_DAY_AGO.minusNanos(1_000));

        assertThat(stores.execs.insert(stores.newExec(sandbox, Optional.of("exactly"), NOW), A_DAY_AGO))
                .contains(exactly);
        ExecRecord again = stores.newExec(sandbox, Optional.of("older"), NOW);
        assertThat(stores.execs.insert(again, A_DAY_AGO)).isEmpty();

        assertThat(stores.execs.find(sandbox.id(), older.id())).isPresent();
        assertThat(stores.execs.insert(stores.newExec(sandbox, Optional.of("older"), NOW), A_DAY_AGO))
                .contains(again);
    }

    @Test
    void of_many_commands_with_one_key_exactly_one_is_stored() throws Exception {
        var finish = Racing.of(Stream.generate(() -> stores.newExec(sandbox, Optional.of("key"), NOW))
                .limit(16)
                .map(record -> (Callable<Optional<ExecRecord>>) () -> stores.execs.insert(record, A_DAY_AGO))
                .toList());

        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results().stream().filter(Optional::isEmpty)).hasSize(1);
        assertThat(finish.results().stream().flatMap(Optional::stream).distinct())
                .hasSize(1);
        assertThat(stores.execs.open(GATEWAY)).hasSize(1);
    }

    @Test
    void commands_are_listed_newest_first_page_by_page() {
        var rows = new ArrayList<ExecRecord>();
        for (int i = 0; i < 5; i++) rows.addFirst(insert(Optional.empty(), NOW));

        var first = stores.execs.list(sandbox.id(), ExecFilter.ALL, PageRequest.first(3));
        var second = stores.execs.list(sandbox.id(), ExecFilter.ALL, new PageRequest(first.next(), 3));

        assertThat(first.items()).isEqualTo(rows.subList(0, 3));
        assertThat(second.items()).isEqualTo(rows.subList(3, 5));
        assertThat(second.next()).isEmpty();
    }

    @Test
    void commands_that_have_not_ended_are_listed_alone_page_by_page() {
        var open = new ArrayList<ExecRecord>();
        for (int i = 0; i < 3; i++) {
            open.addFirst(insert(Optional.empty(), NOW));
            ExecRecord ended = insert(Optional.empty(), NOW);
            stores.execs.ended(ended.ended(exited(NOW), 0, 0, List.of()), StoredOutput.NONE);
        }

        var first = stores.execs.list(sandbox.id(), ExecFilter.OPEN, PageRequest.first(2));
        var second = stores.execs.list(sandbox.id(), ExecFilter.OPEN, new PageRequest(first.next(), 2));

        assertThat(first.items()).isEqualTo(open.subList(0, 2));
        assertThat(second.items()).isEqualTo(open.subList(2, 3));
    }

    @Test
    void open_commands_are_those_of_one_gateway() {
        ExecRecord own = insert(Optional.empty(), NOW);

        assertThat(stores.execs.open(stores.newId())).isEmpty();
        assertThat(stores.execs.open(GATEWAY)).containsExactly(own);
    }

    @Test
    void lost_commands_are_those_of_the_sandbox_and_the_generation_whose_end_nobody_knows() {
        ExecRecord lost = ended(new Exit.SandboxLost("frozen"), NOW);
        ExecRecord later = ended(new Exit.TransportLost("silent"), NOW.plusSeconds(1));
        ended(new Exit.Exited(0), NOW);
        insert(Optional.empty(), NOW);
        long generation = lost.generation();

        assertThat(stores.execs.lost(sandbox.id(), generation, Instant.EPOCH, 9))
                .containsExactly(later.id(), lost.id());
        assertThat(stores.execs.lost(sandbox.id(), generation, Instant.EPOCH, 1))
                .containsExactly(later.id());
        assertThat(stores.execs.lost(sandbox.id(), generation, NOW.plusSeconds(1), 9))
                .containsExactly(later.id());
        assertThat(stores.execs.lost(sandbox.id(), generation + 1, Instant.EPOCH, 9))
                .isEmpty();
        Sandbox other = stores.sandbox(stores.agent("other"), "default");
        assertThat(stores.execs.lost(other.id(), generation, Instant.EPOCH, 9)).isEmpty();
    }

    private ExecRecord ended(Exit exit, Instant at) {
        ExecRecord ended =
                insert(Optional.empty(), NOW).ended(Outcome.of(exit, Duration.ofMillis(5), at), 0, 0, List.of());
        assertThat(stores.execs.ended(ended, StoredOutput.NONE)).isTrue();
        return ended;
    }

    @Test
    void old_commands_are_removed_with_their_output_and_open_ones_are_not() {
        ExecRecord open = insert(Optional.empty(), A_DAY_AGO);
        var ended = new ArrayList<ExecRecord>();
        for (int i = 0; i < 4; i++) {
            ExecRecord each = insert(Optional.empty(), NOW).ended(exited(NOW.plusSeconds(i)), 0, 0, List.of());
            stores.execs.ended(each, new StoredOutput(BYTES, BYTES));
            ended.add(each);
        }

        assertThat(stores.execs.prune(NOW.plusSeconds(3), 2)).isEqualTo(2);
        assertThat(stores.execs.prune(NOW.plusSeconds(3), 2)).isEqualTo(1);
        assertThat(stores.execs.prune(NOW.plusSeconds(3), 2)).isZero();

        assertThat(stores.execs
                        .list(sandbox.id(), ExecFilter.ALL, PageRequest.first(10))
                        .items())
                .containsExactlyInAnyOrder(open, ended.getLast());
        assertThat(stores.execs.output(ended.getFirst().id()).stdout()).isEmpty();
        assertThat(stores.execs.output(ended.getLast().id()).stdout()).isEqualTo(BYTES);
    }

    @Test
    void output_goes_in_the_order_in_which_commands_ended_until_enough_is_gone_and_the_rows_say_so() {
        ExecRecord first = ended(NOW.plusSeconds(3), 100);
        ExecRecord second = ended(NOW.plusSeconds(1), 30);
        ExecRecord silent = ended(NOW, 0);
        ExecRecord third = ended(NOW.plusSeconds(2), 50);
        assertThat(stores.execs.outputBytes()).isEqualTo(180);

        assertThat(stores.execs.dropOutput(31, 10, "gone")).isEqualTo(80);

        assertThat(stores.execs.outputBytes()).isEqualTo(100);
        assertThat(stores.execs.output(first.id()).stdout()).hasSize(50);
        for (ExecRecord each : List.of(second, third)) {
            assertThat(stores.execs.output(each.id())).isEqualTo(StoredOutput.NONE);
            var row = stores.execs.find(sandbox.id(), each.id()).orElseThrow();
            assertThat(row.notes()).containsExactly("the sandbox was made anew", "gone");
            assertThat(row.outcome()).isEqualTo(each.outcome());
            assertThat(row.stdoutBytes()).isEqualTo(each.stdoutBytes());
        }
        for (ExecRecord each : List.of(first, silent))
            assertThat(stores.execs.find(sandbox.id(), each.id())).contains(each);

        assertThat(stores.execs.dropOutput(1, 10, "gone")).isEqualTo(100);
        assertThat(stores.execs.dropOutput(1, 10, "gone")).isZero();
        assertThat(stores.execs.outputBytes()).isZero();
    }

    @Test
    void output_is_dropped_once_by_two_gateways_at_once() throws Exception {
        for (int i = 0; i < 20; i++) ended(NOW.plusSeconds(i), 10);
        Callable<Long> dropping = () -> stores.execs.dropOutput(100, 500, "gone");
        var finish = Racing.of(List.of(dropping, dropping));

        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results().stream().mapToLong(each -> each).sum()).isEqualTo(200 - stores.execs.outputBytes());
        assertThat(stores.execs
                        .list(sandbox.id(), ExecFilter.ALL, PageRequest.first(100))
                        .items())
                .allSatisfy(each -> assertThat(each.notes()).doesNotHaveDuplicates());
    }

    /// With so much output, half of it on each stream.
    private ExecRecord ended(Instant at, int bytes) {
        ExecRecord record = insert(Optional.empty(), NOW);
        var half = new byte[bytes / 2];
        ExecRecord done = record.ended(exited(at), half.length, half.length, record.notes());
        assertThat(stores.execs.ended(done, new StoredOutput(half, half))).isTrue();
        return done;
    }

    private ExecRecord insert(Optional<String> key, Instant createdAt) {
        ExecRecord record = stores.newExec(sandbox, key, createdAt);
        assertThat(stores.execs.insert(record, A_DAY_AGO)).isEmpty();
        return record;
    }

    private static Outcome exited(Instant at) {
        return Outcome.of(new Exit.Exited(0), Duration.ofMillis(5), at);
    }

    private ExecRecord by(String caller, Optional<String> key) {
        ExecRecord record = stores.newExec(sandbox, key, NOW);
        return copy(record, caller, record.program());
    }

    private static ExecRecord with(ExecRecord record, Program program) {
        return copy(record, record.caller(), program);
    }

    private static ExecRecord copy(ExecRecord record, String caller, Program program) {
        return new ExecRecord(
                record.id(),
                record.sandboxId(),
                record.gateway(),
                caller,
                program,
                record.cwd(),
                Optional.empty(),
                true,
                Optional.of(new Terminal(100, 30)),
                record.maxOutputBytes(),
                record.idempotencyKey(),
                record.generation(),
                record.createdAt(),
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                List.of());
    }
}
