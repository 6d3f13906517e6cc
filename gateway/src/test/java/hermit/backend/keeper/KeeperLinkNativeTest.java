package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.exec.Command;
import hermit.exec.Command.Pace;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.exec.MachineGone;
import hermit.exec.OutputSink;
import hermit.exec.Uuids;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The link against the real keeper, run on this host.
@Timeout(120) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class KeeperLinkNativeTest {
    private static final OutputSink NOWHERE = (stream, offset, bytes) -> {};

    private final Random random = new Random();
    private final SystemScheduler scheduler = new SystemScheduler(InstantSource.system());
    private NativeKeeper keeper;
    private KeeperLink link;

    @BeforeEach
    void open() throws Exception {
        keeper = new NativeKeeper();
        link = newLink();
    }

    @AfterEach
    void close() throws Exception {
        link.close();
        keeper.close();
        scheduler.close();
    }

    @Test
    void a_shell_command_runs() throws Exception {
        var sink = new RecordingSink();
        var end = link.start(shell("echo out; echo err >&2; exit 3"), sink).await();
        assertThat(end.exit()).isEqualTo(new Exit.Exited(3));
        assertThat(sink.stdout()).isEqualTo("out\n");
        assertThat(sink.stderr()).isEqualTo("err\n");
        assertThat(end.stdoutBytes()).isEqualTo(4);
        assertThat(end.stderrBytes()).isEqualTo(4);
        assertThat(end.duration()).isPositive();
    }

    @Test
    void the_environment_is_that_of_a_login_shell() throws Exception {
        var sink = new RecordingSink();
        link.start(shell("echo $HOME $USER $LOGNAME $PAGER $GIT_PAGER $SANDBOX $PATH"), sink)
                .await();
        assertThat(sink.stdout())
                .startsWith("%s root root cat cat yes ".formatted(keeper.directory()))
                .endsWith(":/only/in/the/image\n");
    }

    @Test
    void arguments_keep_their_borders() throws Exception {
        var sink = new RecordingSink();
        link.start(argv("printf", "<%s>", "a b", "", "$HOME", "\u20ac"), sink).await();
        assertThat(sink.stdout()).isEqualTo("<a b><><$HOME><\u20ac>");
    }

    @Test
    void what_cannot_be_executed_ends_as_in_a_shell() throws Exception {
        var sink = new RecordingSink();
        assertThat(link.start(argv("no-such-program"), sink).await().exit()).isEqualTo(new Exit.Exited(127));
        assertThat(link.start(argv("/etc/passwd"), sink).await().exit()).isEqualTo(new Exit.Exited(126));
        assertThat(sink.stderr())
                .isEqualTo("hermit: no-such-program: not found\nhermit: /etc/passwd: cannot be executed\n");
    }

    @Test
    void a_missing_directory_is_the_callers_mistake() {
        var command = command(new Program.Shell("true"), new Stdin.Closed(), Optional.of("/no/such"));
        assertThatExceptionOfType(GatewayException.Invalid.class)
                .isThrownBy(() -> link.start(command, NOWHERE))
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.CWD_NOT_FOUND));
    }

    @Test
    void a_script_of_a_megabyte_runs() throws Exception {
        var sink = new RecordingSink();
        String script = "echo '" + "\u20ac".repeat(340_000) + "' | wc -c; exit 9";
        assertThat(link.start(shell(script), sink).await().exit()).isEqualTo(new Exit.Exited(9));
        assertThat(sink.stdout().strip()).isEqualTo("1020001");
    }

    @Test
    void stdin_and_stdout_carry_any_bytes() throws Exception {
        byte[] bytes = new byte[5_000_000];
        random.nextBytes(bytes);
        var sink = new RecordingSink();
        var end = link.start(command(new Program.Argv(List.of("cat")), new Stdin.Bytes(bytes), Optional.empty()), sink)
                .await();
        assertThat(end.exit()).isEqualTo(new Exit.Exited(0));
        assertThat(Arrays.equals(sink.stdoutBytes(), bytes)).isTrue();
    }

    @Test
    void open_stdin_is_a_conversation() throws Exception {
        var answered = new CountDownLatch(1);
        var sink = new RecordingSink();
        var running = link.start(
                command(new Program.Shell("read x; echo got $x; cat"), new Stdin.Open(), Optional.empty()),
                (stream, offset, bytes) -> {
                    sink.output(stream, offset, bytes);
                    answered.countDown();
                });
        var stdin = running.stdin();
        stdin.write("hello\n".getBytes(StandardCharsets.UTF_8));
        answered.await();
        assertThat(sink.stdout()).isEqualTo("got hello\n");
        stdin.write("more".getBytes(StandardCharsets.UTF_8));
        stdin.close();
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(sink.stdout()).isEqualTo("got hello\nmore");
    }

    @Test
    void a_terminal_has_a_size_that_can_change() throws Exception {
        var sized = new CountDownLatch(1);
        var sink = new RecordingSink();
        var plain = shell("stty size; read x; stty size");
        var running =
                link.start(LinkFixture.terminal(plain, new Command.Terminal(100, 30)), (stream, offset, bytes) -> {
                    sink.output(stream, offset, bytes);
                    sized.countDown();
                });
        sized.await();
        running.resize(new Command.Terminal(120, 40));
        running.stdin().write('\n');
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(sink.stdout().lines()).first().isEqualTo("30 100");
        assertThat(sink.stdout().lines()).last().isEqualTo("40 120");
    }

    @Test
    void a_budget_that_runs_out_ends_the_tree() throws Exception {
        var command = timeout(shell("sleep 1000 & echo $!; sleep 1000"), Duration.ofMillis(300));
        var sink = new RecordingSink();
        assertThat(link.start(command, sink).await().exit()).isEqualTo(new Exit.TimedOut());
        assertThat(ProcessHandle.of(Long.parseLong(sink.stdout().strip()))).isEmpty();
    }

    @Test
    void a_cancelled_command_says_so() throws Exception {
        var begun = new CountDownLatch(1);
        var running = link.start(shell("echo; sleep 1000"), (stream, offset, bytes) -> begun.countDown());
        begun.await();
        running.cancel();
        assertThat(running.await().exit()).isEqualTo(new Exit.Cancelled(false));
    }

    @Test
    void a_signal_reaches_the_command() throws Exception {
        var begun = new CountDownLatch(1);
        var running = link.start(
                shell("trap 'echo usr; exit 5' USR1; echo; while :; do sleep 0.01; done"),
                (stream, offset, bytes) -> begun.countDown());
        begun.await();
        running.signal(10);
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(5));
        assertThat(link.start(shell("kill -9 $$"), NOWHERE).await().exit()).isEqualTo(new Exit.Signaled(9));
    }

    @Test
    void a_broken_bridge_loses_and_doubles_nothing() throws Exception {
        var sink = new RecordingSink();
        var seen = new AtomicLong();
        int lines = 150_000; // less than what the keeper holds while nobody follows
        var running = link.start(shell("seq 1 " + lines), (stream, offset, bytes) -> {
            // Three times on the way, while output is streaming.
            long before = seen.getAndAdd(bytes.remaining());
            sink.output(stream, offset, bytes);
            if (before / 300_000 != seen.get() / 300_000) keeper.killBridge();
        });
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        var expected = new StringBuilder();
        for (int i = 1; i <= lines; i++) expected.append(i).append('\n');
        assertThat(sink.stdout().contentEquals(expected)).isTrue();
    }

    @Test
    void starts_during_breaks_run_once() throws Exception {
        Path log = keeper.directory().resolve("log");
        var breaking = new CountDownLatch(1);
        int commands = 100;
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            link.connect();
            var futures = new ArrayList<Future<Exit>>();
            for (int i = 0; i < commands; i++) {
                String text = "echo %d >> %s".formatted(i, log);
                boolean breaks = i % 20 == 10;
                futures.add(threads.submit(() -> {
                    breaking.await();
                    if (breaks) keeper.killBridge();
                    while (true) {
                        try {
                            return link.start(shell(text), NOWHERE).await().exit();
                        } catch (GatewayException.BackendUnavailable e) {
                            assertThat(e).hasMessageContaining("broke at once"); // the pause after a quick break
                        }
                    }
                }));
            }
            breaking.countDown();
            for (var each : futures) assertThat(each.get()).isEqualTo(new Exit.Exited(0));
        }
        assertThat(Files.readAllLines(log)).hasSize(commands).doesNotHaveDuplicates();
    }

    @Test
    void a_restarted_keeper_has_lost_its_commands_and_runs_others() throws Exception {
        var running = link.start(shell("sleep 1000"), NOWHERE);
        keeper.restart();
        assertThat(running.await().exit()).isInstanceOf(Exit.SandboxLost.class);
        assertThat(link.start(shell("true"), NOWHERE).await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void a_keeper_that_ended_is_a_machine_that_is_gone() throws Exception {
        var running = link.start(shell("sleep 1000"), NOWHERE);
        keeper.kill();
        assertThat(running.await().exit()).isInstanceOf(Exit.SandboxLost.class);
        assertThatExceptionOfType(MachineGone.class).isThrownBy(() -> link.start(shell("true"), NOWHERE));
    }

    @Test
    void another_gateway_finds_a_command_and_its_outcome_until_it_is_forgotten() throws Exception {
        var command = shell("echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 4");
        var begun = new CountDownLatch(1);
        link.start(command, (stream, offset, bytes) -> begun.countDown());
        begun.await();
        link.close();

        try (var second = newLink()) {
            var sink = new RecordingSink();
            var found = second.attach(command.id(), 0, 0, sink).orElseThrow();
            Files.createFile(keeper.directory().resolve("go"));
            assertThat(found.await().exit()).isEqualTo(new Exit.Exited(4));
            assertThat(sink.stdout()).isEqualTo("one\ntwo\n");

            var rest = new RecordingSink();
            assertThat(second.attach(command.id(), 4, 0, rest)
                            .orElseThrow()
                            .await()
                            .exit())
                    .isEqualTo(new Exit.Exited(4));
            assertThat(rest.stdout()).isEqualTo("two\n");

            second.forget(command.id());
            assertThat(second.attach(command.id(), 0, 0, NOWHERE)).isEmpty();
        }
    }

    @Test
    void an_id_is_started_once() throws Exception {
        Path log = keeper.directory().resolve("log");
        var command = shell("echo x >> " + log);
        link.start(command, NOWHERE).await();
        assertThat(link.start(command, NOWHERE).await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(Files.readAllLines(log)).hasSize(1);
    }

    @Test
    void a_slow_sink_holds_its_command_and_no_other() throws Exception {
        var open = new CountDownLatch(1);
        var counted = new AtomicLong();
        var slow = link.start(shell("head -c 5000000 /dev/zero"), (stream, offset, bytes) -> {
            open.await();
            counted.addAndGet(bytes.remaining());
        });
        for (int i = 0; i < 20; i++)
            assertThat(link.start(shell("echo quick"), NOWHERE).await().stdoutBytes())
                    .isEqualTo(6);
        open.countDown();
        assertThat(slow.await().stdoutBytes()).isEqualTo(5_000_000);
        assertThat(counted).hasValue(5_000_000);
    }

    @Test
    void many_commands_run_side_by_side() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = new ArrayList<Future<String>>();
            for (int i = 0; i < 128; i++) {
                String text = "printf %%s %d; head -c 20000 /dev/zero | tr '\\0' x; exit 3".formatted(i);
                futures.add(threads.submit(() -> {
                    var sink = new RecordingSink();
                    assertThat(link.start(shell(text), sink).await().exit()).isEqualTo(new Exit.Exited(3));
                    return sink.stdout();
                }));
            }
            for (int i = 0; i < 128; i++) assertThat(futures.get(i).get()).isEqualTo(i + "x".repeat(20_000));
        }
    }

    private KeeperLink newLink() {
        var settings = new LinkSettings(
                "root",
                keeper.directory().toString(),
                Map.of("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/only/in/the/image"),
                Map.of("SANDBOX", "yes"),
                NativeKeeper.program().toString());
        return new KeeperLink(keeper::open, settings, scheduler, random);
    }

    private Command shell(String text) {
        return command(new Program.Shell(text), new Stdin.Closed(), Optional.empty());
    }

    private Command argv(String... arguments) {
        return command(new Program.Argv(List.of(arguments)), new Stdin.Closed(), Optional.empty());
    }

    private Command command(Program program, Stdin stdin, Optional<String> cwd) {
        return new Command(
                new ExecId(Uuids.timeOrdered(scheduler.instant(), random)),
                program,
                cwd,
                Map.of(),
                stdin,
                Optional.of(Duration.ofMinutes(1)),
                false,
                Optional.empty(),
                1 << 20,
                Pace.HELD);
    }

    private static Command timeout(Command of, Duration timeout) {
        return new Command(
                of.id(),
                of.program(),
                of.cwd(),
                of.env(),
                of.stdin(),
                Optional.of(timeout),
                of.login(),
                of.terminal(),
                of.keep(),
                of.pace());
    }
}
