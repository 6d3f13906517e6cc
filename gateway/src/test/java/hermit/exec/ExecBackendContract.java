package hermit.exec;

import static hermit.exec.CommandBuilder.argv;
import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.exec.Command.Stdin;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.ProblemCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What every backend promises in [ExecBackend]. A backend is finished when this is green for it.
///
/// The sandbox has `sh` and the usual small tools, and a memory limit of [#MEMORY].
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class ExecBackendContract {
    protected static final ByteSize MEMORY = new ByteSize(256L << 20);

    private ExecBackend backend;

    /// A backend of a row that has no machine yet.
    protected abstract ExecBackend fresh() throws Exception;

    /// Another backend of the same row, as a gateway has it after a restart.
    protected abstract ExecBackend restarted(ExecBackend before, Machine machine) throws Exception;

    /// Lets go of everything else, at the very end.
    protected abstract void release() throws Exception;

    /// The user that commands run as, by number.
    protected abstract int uid();

    protected abstract String home();

    /// What the machine is after a shutdown.
    protected LiveState.State atRest() {
        return LiveState.State.STOPPED;
    }

    @BeforeAll
    void bring_up() throws Exception {
        backend = fresh();
    }

    @BeforeEach
    void be_up() throws Exception {
        backend.ensure(Progress.NONE);
    }

    @AfterAll
    void let_go() throws Exception {
        backend.destroy();
        backend.close();
        release();
    }

    protected record Ran(Exit.End end, Recording output) {
        Exit exit() {
            return end.exit();
        }

        String stdout() {
            return output.stdout();
        }

        String stderr() {
            return output.stderr();
        }
    }

    protected Ran run(CommandBuilder command) throws Exception {
        return run(backend, command);
    }

    protected static Ran run(ExecBackend on, CommandBuilder command) throws Exception {
        var output = new Recording();
        return new Ran(on.start(command.build(), output).await(), output);
    }

    /// How many processes have this word among their arguments. Written so that it does not find itself.
    private int alive(String word) throws Exception {
        var ran = run(sh(("n=0; for f in /proc/[0-9]*/cmdline; do case $(tr '\\0' ' ' <$f 2>/dev/null) in"
                        + " *sleep\\ %s*) n=$((n+1));; esac; done; echo $n")
                .formatted(word)));
        return Integer.parseInt(ran.stdout().strip());
    }

    // --- results

    @Test
    void exit_codes_are_the_commands_own() throws Exception {
        for (int code : new int[] {0, 1, 3, 42, 255})
            assertThat(run(sh("exit " + code)).exit()).isEqualTo(new Exit.Exited(code));
    }

    @Test
    void the_keeper_carries_out_what_is_done_to_files() throws Exception {
        var ran = run(argv(backend.keeperPath(), "fs", "stat", "/"));
        assertThat(ran.exit()).isEqualTo(new Exit.Exited(0));
        assertThat(ran.stdout()).startsWith("d ").endsWith("\0");
        assertThat(run(argv(backend.keeperPath(), "fs", "stat", "/no/such/file"))
                        .stderr())
                .startsWith("not_found\t");
    }

    @Test
    void streams_are_apart() throws Exception {
        var ran = run(sh("echo out; echo err >&2"));
        assertThat(ran.stdout()).isEqualTo("out\n");
        assertThat(ran.stderr()).isEqualTo("err\n");
        assertThat(ran.end().stdoutBytes()).isEqualTo(4);
        assertThat(ran.end().stderrBytes()).isEqualTo(4);
    }

    @Test
    void bytes_that_arrive_one_by_one_are_exact() throws Exception {
        var ran = run(
                sh("for i in 1 2 3; do printf '\\342'; sleep 0.05; printf '\\202'; sleep 0.05; printf '\\254'; done;"
                        + " printf '\\377\\000' >&2"));
        assertThat(ran.stdout()).isEqualTo("€€€");
        assertThat(ran.output().stderrBytes()).containsExactly(0xFF, 0x00);
    }

    @Test
    void a_megabyte_with_a_code_and_a_line_on_stderr_all_arrive() throws Exception {
        var ran = run(sh("head -c 1048576 /dev/zero | tr '\\0' x; echo oops >&2; exit 3"));
        byte[] expected = new byte[1 << 20];
        Arrays.fill(expected, (byte) 'x');
        assertThat(ran.output().stdoutBytes()).isEqualTo(expected);
        assertThat(ran.stderr()).isEqualTo("oops\n");
        assertThat(ran.exit()).isEqualTo(new Exit.Exited(3));
    }

    @Test
    void output_is_seen_while_the_command_runs() throws Exception {
        var output = new Recording();
        var running = backend.start(
                sh("echo first; read x; echo $x").stdin(new Stdin.Open()).build(), output);
        output.awaitStdout("first\n");
        try (var stdin = running.stdin()) {
            stdin.write("second\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(output.stdout()).isEqualTo("first\nsecond\n");
    }

    @Test
    void a_background_child_that_holds_the_pipes_does_not_hold_the_end() throws Exception {
        var ran = run(sh("sleep 30071 & nohup sleep 30071 >/dev/null 2>&1 & (setsid sleep 30071 &) ; echo hi"));
        assertThat(ran.stdout()).isEqualTo("hi\n");
        assertThat(ran.exit()).isEqualTo(new Exit.Exited(0));
        assertThat(alive("30071")).isEqualTo(3);
        run(sh("for p in /proc/[0-9]*; do case $(tr '\\0' ' ' <$p/cmdline 2>/dev/null) in"
                + " sleep\\ 30071*) kill -9 ${p#/proc/};; esac; done"));
    }

    @Test
    void a_signal_from_inside_is_told() throws Exception {
        assertThat(run(sh("kill -9 $$")).exit()).isEqualTo(new Exit.Signaled(9));
        assertThat(run(sh("kill -15 $$")).exit()).isEqualTo(new Exit.Signaled(15));
    }

    @Test
    void a_death_by_memory_is_proven() throws Exception {
        var ran = run(argv("tail", "/dev/zero"));
        assertThat(ran.exit()).isEqualTo(new Exit.OomKilled());
        assertThat(ran.end().oomKills()).isPositive();
        assertThat(run(sh("kill -9 $$")).exit()).isEqualTo(new Exit.Signaled(9));
    }

    // --- what runs

    @Test
    void a_script_of_300_KB_runs() throws Exception {
        String text = "x".repeat(300_000);
        var ran = run(sh("cat <<'EOF' | wc -c\n" + text + "\nEOF\n"));
        assertThat(ran.stdout().strip()).isEqualTo("300001");
    }

    @Test
    void arguments_are_exact() throws Exception {
        var ran = run(argv("printf", "[%s]", "a b", "", "'\"$HOME`id`", "ü\n\t*", "--"));
        assertThat(ran.stdout()).isEqualTo("[a b][]['\"$HOME`id`][ü\n\t*][--]");
    }

    @Test
    void a_program_that_is_not_there_ends_with_127() throws Exception {
        assertThat(run(argv("no-such-program")).exit()).isEqualTo(new Exit.Exited(127));
        assertThat(run(sh("no-such-program")).exit()).isEqualTo(new Exit.Exited(127));
    }

    @Test
    void a_working_directory_that_is_not_there_is_refused() throws Exception {
        assertThatThrownBy(() -> run(sh("pwd").cwd("/no/such/place")))
                .isInstanceOfSatisfying(Invalid.class, e -> assertThat(e.code()).isEqualTo(ProblemCode.CWD_NOT_FOUND));
    }

    @Test
    void user_home_and_directory_are_the_rows() throws Exception {
        assertThat(run(sh("id -u; pwd; echo $HOME; touch ~/mine && stat -c %u ~/mine"))
                        .stdout())
                .isEqualTo("%d\n%s\n%s\n%d\n".formatted(uid(), home(), home(), uid()));
        assertThat(run(sh("pwd").cwd("/usr")).stdout()).isEqualTo("/usr\n");
    }

    @Test
    void environment_is_added() throws Exception {
        assertThat(run(sh("echo \"$GREETING\"").env("GREETING", "a=b 'c'\n")).stdout())
                .isEqualTo("a=b 'c'\n\n");
    }

    // --- stdin

    @Test
    void stdin_is_closed_unless_it_is_given() throws Exception {
        assertThat(run(sh("cat; read x; echo got:$x")).stdout()).isEqualTo("got:\n");
    }

    @Test
    void stdin_bytes_arrive_and_then_it_is_closed() throws Exception {
        String text = "line\n".repeat(60_000); // more than any window
        assertThat(run(sh("wc -c").stdin(text)).stdout().strip()).isEqualTo("300000");
        assertThat(run(sh("cat").stdin("ü")).stdout()).isEqualTo("ü");
    }

    // --- ends that are ours

    @Test
    void a_timeout_ends_the_whole_tree_and_keeps_what_was_printed() throws Exception {
        var ran = run(sh("echo before; sleep 30072 & setsid sleep 30072 & (setsid setsid sleep 30072 &) ; sleep 30072")
                .timeout(Duration.ofMillis(700)));
        assertThat(ran.exit()).isEqualTo(new Exit.TimedOut());
        assertThat(ran.stdout()).isEqualTo("before\n");
        assertThat(alive("30072")).isZero();
    }

    @Test
    void a_timeout_sends_TERM_first() throws Exception {
        var ran = run(sh("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.1; done")
                .timeout(Duration.ofMillis(700)));
        assertThat(ran.exit()).isEqualTo(new Exit.TimedOut());
        assertThat(ran.stdout()).isEqualTo("up\nbye\n");
    }

    @Test
    void a_cancelled_command_leaves_no_process() throws Exception {
        var output = new Recording();
        var running =
                backend.start(sh("setsid sleep 30073 & echo up; sleep 30073").build(), output);
        output.awaitStdout("up\n");
        running.cancel();
        running.cancel();
        assertThat(running.await().exit()).isEqualTo(new Exit.Cancelled(false));
        assertThat(alive("30073")).isZero();
    }

    @Test
    void one_that_ignores_TERM_is_killed() throws Exception {
        var output = new Recording();
        var running = backend.start(
                sh("trap '' TERM; echo up; while :; do sleep 0.2; done").build(), output);
        output.awaitStdout("up\n");
        running.cancel();
        assertThat(running.await().exit()).isEqualTo(new Exit.Cancelled(true));
    }

    @Test
    void a_signal_reaches_the_command() throws Exception {
        var output = new Recording();
        var running = backend.start(
                sh("trap 'echo got; exit 7' USR1; echo up; while :; do sleep 0.1; done")
                        .build(),
                output);
        output.awaitStdout("up\n");
        running.signal(10);
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(7));
        assertThat(output.stdout()).isEqualTo("up\ngot\n");
    }

    @Test
    void a_terminal_has_its_size_and_changes_it() throws Exception {
        var output = new Recording();
        var running = backend.start(
                sh("stty size; read x; stty size")
                        .stdin(new Stdin.Open())
                        .terminal(100, 30)
                        .build(),
                output);
        output.awaitStdout("30 100");
        running.resize(new Command.Terminal(120, 40));
        running.stdin().write('\n');
        running.stdin().flush();
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(output.stdout()).contains("40 120");
    }

    @Test
    void orphans_are_reaped() throws Exception {
        run(sh("for i in $(seq 100); do (sleep 0.01 &) ; done"));
        var ran = run(sh("until [ $(grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l) = 0 ];"
                + " do sleep 0.1; done; echo none"));
        assertThat(ran.stdout()).isEqualTo("none\n");
    }

    // --- identity

    @Test
    void the_same_id_is_never_started_twice() throws Exception {
        var command = sh("echo x >>~/once");
        run(sh("rm -f ~/once"));
        assertThat(run(command).exit()).isEqualTo(new Exit.Exited(0));
        // Asked for again, it is the same run: at most its outcome is told once more.
        try {
            assertThat(run(command).exit()).isEqualTo(new Exit.Exited(0));
        } catch (GatewayException _) {
            // Refusing it is as good.
        }
        assertThat(run(sh("wc -l <~/once")).stdout().strip()).isEqualTo("1");
    }

    @Test
    void a_restarted_gateway_finds_machine_and_command_again() throws Exception {
        var before = backend.ensure(Progress.NONE);
        var command = sh("echo one; read x; echo two; exit 5").stdin(new Stdin.Open());
        var seen = new Recording();
        var running = backend.start(command.build(), seen);
        seen.awaitStdout("one\n");
        var again = restarted(backend, before);
        try {
            assertThat(again.ensure(Progress.NONE))
                    .isEqualTo(new Machine(before.externalId(), before.generation(), java.util.List.of()));
            var output = new Recording();
            var found = again.attach(command.id(), 0, 0, output).orElseThrow();
            output.awaitStdout("one\n");
            running.stdin().write('\n');
            running.stdin().flush();
            assertThat(found.await().exit()).isEqualTo(new Exit.Exited(5));
            assertThat(output.stdout()).isEqualTo("one\ntwo\n");
            assertThat(running.await().exit()).isEqualTo(new Exit.Exited(5));
            assertThat(again.attach(sh("true").id(), 0, 0, new Recording())).isEqualTo(Optional.empty());
        } finally {
            again.close();
        }
    }

    @Test
    void sixty_four_commands_run_side_by_side() throws Exception {
        var outputs = new ArrayList<Recording>();
        var running = new ArrayList<RunningCommand>();
        for (int i = 0; i < 64; i++) {
            outputs.add(new Recording());
            running.add(backend.start(
                    sh("read x; echo %d; exit %d".formatted(i, i))
                            .stdin(new Stdin.Open())
                            .build(),
                    outputs.get(i)));
        }
        for (var each : running) each.stdin().write('\n');
        for (int i = 0; i < 64; i++) {
            assertThat(running.get(i).await().exit()).isEqualTo(new Exit.Exited(i));
            assertThat(outputs.get(i).stdout()).isEqualTo(i + "\n");
        }
    }

    // --- life cycle

    @Test
    void shutdown_may_come_twice_and_files_stay() throws Exception {
        run(sh("echo kept >~/kept"));
        var before = backend.ensure(Progress.NONE);
        backend.shutdown();
        backend.shutdown();
        assertThat(backend.isReady()).isFalse();
        assertThat(backend.observe().state()).isEqualTo(atRest());
        var after = backend.ensure(Progress.NONE);
        assertThat(after).isEqualTo(before);
        assertThat(run(sh("cat ~/kept")).stdout()).isEqualTo("kept\n");
    }

    @Test
    void a_command_that_runs_at_shutdown_ends_as_lost() throws Exception {
        var output = new Recording();
        var running = backend.start(sh("echo up; sleep 30074").build(), output);
        output.awaitStdout("up\n");
        backend.shutdown();
        assertThat(running.await().exit()).isInstanceOf(Exit.SandboxLost.class);
    }

    @Test
    void nothing_starts_in_a_machine_that_is_gone() throws Exception {
        backend.destroy();
        assertThat(backend.observe().state()).isEqualTo(LiveState.State.ABSENT);
        assertThatThrownBy(() -> run(sh("true"))).isInstanceOf(MachineGone.class);
        assertThat(backend.ensure(Progress.NONE).generation()).isGreaterThan(1);
        assertThat(run(sh("echo again")).stdout()).isEqualTo("again\n");
    }
}
