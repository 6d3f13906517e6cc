package hermit.backend.keeper;

import static hermit.backend.keeper.LinkFixture.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import hermit.exec.ByteSize;
import hermit.exec.Command;
import hermit.exec.Command.Program;
import hermit.exec.Command.Stdin;
import hermit.exec.DiskUse;
import hermit.exec.Exit;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Commands over a connection that holds. What happens when it does not is in [BrokenLinkTest].
@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class KeeperLinkTest {
    private final LinkFixture fixture = new LinkFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void a_command_runs_and_its_output_and_end_come_back() throws Exception {
        var sink = new RecordingSink();
        var starting = fixture.start(shell("echo hi"), sink);
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        assertThat(start.texts(2)).containsExactly("sh", "-c", "echo hi");
        assertThat(start.texts(4)).containsExactly("/root");
        assertThat(start.texts(5)).containsExactly("root");
        assertThat(start.number(6)).isEqualTo(60_000);
        assertThat(start.number(7)).isEqualTo(2_000);
        assertThat(start.number(8)).isEqualTo(StartRequest.HOLD);
        assertThat(start.number(11)).isEqualTo(1_000);
        assertThat(start.number(12)).isEqualTo(Delivery.WINDOW);
        end.started(start.channel());
        end.output(start.channel(), 1, 0, "hi\n");
        end.end(start.channel(), new Ended(Ended.How.EXITED, 3, 0, 3, 0, 1, 5_000, false, Optional.empty()));

        assertThat(starting.get().await()).isEqualTo(new Exit.End(new Exit.Exited(3), 3, 0, Duration.ofMillis(5), 1));
        assertThat(sink.stdout()).isEqualTo("hi\n");
    }

    @Test
    void each_way_to_end_is_told_apart() throws Exception {
        assertThat(exitOf(Ended.How.EXITED, 7, 0, 0)).isEqualTo(new Exit.Exited(7));
        assertThat(exitOf(Ended.How.EXITED, 137, 0, 0)).isEqualTo(new Exit.Exited(137));
        assertThat(exitOf(Ended.How.EXITED, 137, 0, 1)).isEqualTo(new Exit.OomKilled());
        assertThat(exitOf(Ended.How.EXITED, 1, 0, 1)).isEqualTo(new Exit.Exited(1));
        assertThat(exitOf(Ended.How.SIGNALED, 0, 9, 0)).isEqualTo(new Exit.Signaled(9));
        assertThat(exitOf(Ended.How.SIGNALED, 0, 9, 2)).isEqualTo(new Exit.OomKilled());
        assertThat(exitOf(Ended.How.SIGNALED, 0, 15, 2)).isEqualTo(new Exit.Signaled(15));
        assertThat(exitOf(Ended.How.TIMED_OUT, 0, 9, 1)).isEqualTo(new Exit.TimedOut());
        assertThat(exitOf(Ended.How.CANCELLED, 0, 15, 0)).isEqualTo(new Exit.Cancelled(true));
    }

    @Test
    void a_disk_limit_goes_with_each_command_and_what_it_did_comes_back() throws Exception {
        var limit = new ByteSize(8 << 20);
        var settings = new LinkSettings("root", "/root", Map.of(), Map.of(), LinkSettings.KEEPER, Optional.of(limit));
        for (var effect : DiskUse.Effect.values()) {
            try (var limited = new LinkFixture(settings)) {
                var starting = limited.start(shell("x"), new RecordingSink());
                var end = limited.keeper.bridge();
                var start = end.expect(FrameType.START);
                assertThat(start.number(13)).isEqualTo(8 << 20);
                assertThat(start.texts(14)).containsExactly("/root");
                assertThat(start.number(8)).isEqualTo(StartRequest.HOLD);
                end.started(start.channel());
                var use = new DiskUse(limit, 9 << 20, effect);
                end.end(start.channel(), new Ended(Ended.How.SIGNALED, 0, 15, 0, 0, 0, 1, false, Optional.of(use)));
                assertThat(starting.get().await().disk()).contains(use);
            }
        }
    }

    @Test
    void a_file_operation_makes_new_files_only() throws Exception {
        var settings = new LinkSettings(
                "root", "/root", Map.of(), Map.of(), LinkSettings.KEEPER, Optional.of(new ByteSize(8 << 20)));
        try (var limited = new LinkFixture(settings)) {
            limited.start(argv(LinkSettings.KEEPER, "fs", "write", "/root/f", "-", "-"), new RecordingSink());
            var end = limited.keeper.bridge();
            assertThat(end.expect(FrameType.START).number(8)).isEqualTo(StartRequest.HOLD | StartRequest.NEW_FILES);
        }
    }

    @Test
    void without_a_disk_limit_none_is_spoken_of() throws Exception {
        var starting = fixture.start(argv(LinkSettings.KEEPER, "fs", "stat", "/"), new RecordingSink());
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        assertThat(start.texts(13)).isEmpty();
        assertThat(start.number(8)).isEqualTo(StartRequest.HOLD);
        end.started(start.channel());
        end.exited(start.channel(), 0, 0);
        assertThat(starting.get().await().disk()).isEmpty();
    }

    @Test
    void a_program_that_is_not_there_ends_as_in_a_shell() throws Exception {
        var sink = new RecordingSink();
        var starting = fixture.start(argv("nosuch", "x"), sink);
        refuse(fixture.keeper.bridge(), Refusal.Code.PROGRAM_NOT_FOUND);
        assertThat(starting.get().await().exit()).isEqualTo(new Exit.Exited(127));
        assertThat(starting.get().await().stderrBytes()).isEqualTo("hermit: nosuch: not found\n".length());
        assertThat(sink.stderr()).isEqualTo("hermit: nosuch: not found\n");
    }

    @Test
    void a_program_that_cannot_be_executed_ends_as_in_a_shell() throws Exception {
        var sink = new RecordingSink();
        var starting = fixture.start(argv("/etc/passwd"), sink);
        refuse(fixture.keeper.bridge(), Refusal.Code.NOT_EXECUTABLE);
        assertThat(starting.get().await().exit()).isEqualTo(new Exit.Exited(126));
        assertThat(sink.stderr()).isEqualTo("hermit: /etc/passwd: cannot be executed\n");
    }

    @ParameterizedTest
    @EnumSource(
            value = Refusal.Code.class,
            names = {"ALREADY_STARTED"},
            mode = EnumSource.Mode.EXCLUDE)
    void a_refusal_is_a_problem_that_says_why(Refusal.Code code) throws Exception {
        var starting = fixture.start(shell("true"), new RecordingSink());
        refuse(fixture.keeper.bridge(), code);
        assertThatExceptionOfType(GatewayException.class)
                .isThrownBy(starting::get)
                .satisfies(problem -> {
                    assertThat(problem.code())
                            .isEqualTo(
                                    switch (code) {
                                        case CWD_NOT_FOUND -> ProblemCode.CWD_NOT_FOUND;
                                        case USER_NOT_FOUND, PROGRAM_NOT_FOUND, NOT_EXECUTABLE ->
                                            ProblemCode.UNSUPPORTED;
                                        case NO_RESOURCES, TOO_MANY -> ProblemCode.BUSY;
                                        case TOO_LARGE -> ProblemCode.TOO_LARGE;
                                        case TOO_OLD -> ProblemCode.CONFLICT;
                                        default -> ProblemCode.PROVIDER_ERROR;
                                    });
                    assertThat(problem.detail())
                            .contains(
                                    switch (code) {
                                        case CWD_NOT_FOUND -> "/root";
                                        case USER_NOT_FOUND -> "root";
                                        case PROGRAM_NOT_FOUND -> "no shell 'sh'";
                                        case NO_RESOURCES -> "pids_limit or memory_limit";
                                        default -> "";
                                    });
                });
        assertThat(fixture.link.isConnected()).isTrue();
    }

    @Test
    void a_command_that_was_started_before_is_followed() throws Exception {
        var sink = new RecordingSink();
        var starting = fixture.start(shell("true"), sink);
        var end = fixture.keeper.bridge();
        refuse(end, Refusal.Code.ALREADY_STARTED);
        var attach = end.expect(FrameType.ATTACH);
        end.attached(attach.channel(), 2, 0);
        end.output(attach.channel(), 1, 0, "hi");
        end.exited(attach.channel(), 0, 2);
        assertThat(starting.get().await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(sink.stdout()).isEqualTo("hi");
    }

    @Test
    void a_keeper_that_cannot_follow_what_it_started_is_asked_again() throws Exception {
        var starting = fixture.start(shell("true"), new RecordingSink());
        var end = fixture.keeper.bridge();
        end.error(end.expect(FrameType.START).channel(), Refusal.Code.NO_RESOURCES);
        var attach = end.expect(FrameType.ATTACH);
        end.attached(attach.channel(), 0, 0);
        end.exited(attach.channel(), 0, 0);
        assertThat(starting.get().await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void a_channel_that_could_not_be_had_started_nothing() throws Exception {
        var starting = fixture.start(shell("true"), new RecordingSink());
        var end = fixture.keeper.bridge();
        end.error(end.expect(FrameType.START).channel(), Refusal.Code.TOO_MANY);
        end.error(end.expect(FrameType.ATTACH).channel(), Refusal.Code.UNKNOWN_EXEC);
        assertThatExceptionOfType(GatewayException.Conflict.class).isThrownBy(starting::get);
    }

    @Test
    void an_argument_that_the_kernel_does_not_take_is_refused_before_it_is_sent() {
        var starting = fixture.start(argv("echo", "x".repeat(131_072)), new RecordingSink());
        assertThatExceptionOfType(GatewayException.Refused.class)
                .isThrownBy(() -> {
                    fixture.keeper.bridge();
                    starting.get();
                })
                .satisfies(problem -> assertThat(problem.code()).isEqualTo(ProblemCode.TOO_LARGE))
                .withMessageContaining("argv[1]");
    }

    @Test
    void what_is_no_text_is_refused_before_it_is_sent() {
        var starting = fixture.start(argv("echo", "\uD83D"), new RecordingSink());
        assertThatExceptionOfType(GatewayException.Invalid.class)
                .isThrownBy(() -> {
                    fixture.keeper.bridge();
                    starting.get();
                })
                .withMessageContaining("argv[1]");
    }

    @Test
    void a_script_of_a_megabyte_is_sent_in_pieces() throws Exception {
        var starting = fixture.start(shell("x".repeat(1 << 20)), new RecordingSink());
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        assertThat(String.join("", start.texts(2).subList(4, start.texts(2).size())))
                .isEqualTo("x".repeat(1 << 20));
        end.started(start.channel());
        starting.get();
    }

    @Test
    void credit_comes_back_as_the_sink_takes_output() throws Exception {
        var open = new CountDownLatch(1);
        var starting = fixture.start(shell("yes"), (stream, offset, bytes) -> open.await());
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        starting.get();
        byte[] block = new byte[60_000];
        for (int i = 0; i < 17; i++) end.output(channel, 1, i * 60_000L, block);
        end.send(FrameType.PING, 0, new byte[1]);
        end.expect(FrameType.PONG); // all has been taken in, and nothing given back
        assertThat(end.waiting()).isZero();

        open.countDown();

        long returned = 0;
        while (returned < 1_000_000 - Delivery.WINDOW / 4)
            returned += end.expect(FrameType.CREDIT).payload().getInt();
        assertThat(returned).isLessThanOrEqualTo(17 * 60_000);
    }

    @Test
    void a_slow_sink_holds_up_no_other_command() throws Exception {
        var open = new CountDownLatch(1);
        var slow = fixture.start(shell("slow"), (stream, offset, bytes) -> open.await());
        var end = fixture.keeper.bridge();
        int slowChannel = end.expect(FrameType.START).channel();
        end.started(slowChannel);
        slow.get();
        for (int i = 0; i < 17; i++) end.output(slowChannel, 1, i * 60_000L, new byte[60_000]);

        var sink = new RecordingSink();
        var quick = fixture.start(shell("quick"), sink);
        int quickChannel = end.expect(FrameType.START).channel();
        end.started(quickChannel);
        end.output(quickChannel, 1, 0, "done");
        end.exited(quickChannel, 0, 4);

        assertThat(quick.get().await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(sink.stdout()).isEqualTo("done");
        open.countDown();
        end.exited(slowChannel, 0, 17 * 60_000);
        assertThat(slow.get().await().stdoutBytes()).isEqualTo(17 * 60_000);
    }

    @Test
    void a_hundred_commands_run_at_once() throws Exception {
        var starting = new ArrayList<LinkFixture.Starting>();
        var sinks = new ArrayList<RecordingSink>();
        for (int i = 0; i < 100; i++) {
            sinks.add(new RecordingSink());
            starting.add(fixture.start(shell("echo " + i), sinks.get(i)));
        }
        var end = fixture.keeper.bridge();
        var starts = new ArrayList<KeeperEnd.Sent>();
        for (int i = 0; i < 100; i++) starts.add(end.expect(FrameType.START));
        for (var start : starts) end.started(start.channel());
        for (var start : starts.reversed()) {
            String text = start.texts(2).get(2);
            end.output(start.channel(), 1, 0, text);
            end.exited(start.channel(), 0, text.length());
        }
        for (int i = 0; i < 100; i++) {
            starting.get(i).get().await();
            assertThat(sinks.get(i).stdout()).isEqualTo("echo " + i);
        }
        assertThat(fixture.keeper.attempts()).isEqualTo(1);
    }

    @Test
    void stdin_is_sent_as_the_command_reads_it() throws Exception {
        byte[] input = new byte[150_000];
        for (int i = 0; i < input.length; i++) input[i] = (byte) (i * 13);
        var starting = fixture.start(with(shell("cat"), new Stdin.Bytes(input)), new RecordingSink());
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        assertThat(start.number(8) & 1).isEqualTo(1);
        end.started(start.channel());
        var got = new ByteArrayOutputStream();
        while (got.size() < 65_536)
            got.writeBytes(end.expect(FrameType.STDIN).payload().array());
        assertThat(got.size()).isEqualTo(65_536);
        end.send(FrameType.PING, 0, new byte[1]);
        end.expect(FrameType.PONG); // no more than the first window

        end.send(FrameType.STDIN_CREDIT, start.channel(), new byte[] {0, 2, 0, 0});
        while (got.size() < input.length)
            got.writeBytes(end.expect(FrameType.STDIN).payload().array());
        end.expect(FrameType.STDIN_EOF);

        assertThat(got.toByteArray()).isEqualTo(input);
        end.exited(start.channel(), 0, 0);
        starting.get().await();
    }

    @Test
    void empty_stdin_is_closed_from_the_start() throws Exception {
        fixture.start(with(shell("cat"), new Stdin.Bytes(new byte[0])), new RecordingSink());
        assertThat(fixture.keeper.bridge().expect(FrameType.START).number(8) & 1)
                .isZero();
    }

    @Test
    void open_stdin_is_written_and_closed_by_the_caller() throws Exception {
        var starting = fixture.start(with(shell("cat"), new Stdin.Open()), new RecordingSink());
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        var stdin = starting.get().stdin();
        stdin.write("one".getBytes(StandardCharsets.UTF_8));
        assertThat(end.expect(FrameType.STDIN).text()).isEqualTo("one");
        end.send(FrameType.STDIN_CLOSED, channel, new byte[0]);
        LinkFixture.settle(end);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> stdin.write(1))
                .withMessageContaining("nobody reads");
        stdin.close();
    }

    @Test
    void a_running_command_can_be_signalled_resized_and_cancelled() throws Exception {
        var terminal = new Command.Terminal(80, 24);
        var starting = fixture.start(LinkFixture.terminal(shell("sh"), terminal), new RecordingSink());
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        assertThat(start.number(8) & 2).isEqualTo(2);
        assertThat(start.number(9)).isEqualTo(80);
        assertThat(start.number(10)).isEqualTo(24);
        end.started(start.channel());
        var running = starting.get();
        running.signal(2);
        assertThat(end.expect(FrameType.SIGNAL).payload().array()).containsExactly(2);
        running.resize(new Command.Terminal(300, 50));
        assertThat(end.expect(FrameType.RESIZE).payload().array()).containsExactly(1, 44, 0, 50);
        running.cancel();
        end.expect(FrameType.CANCEL);
        end.end(start.channel(), new Ended(Ended.How.CANCELLED, 0, 15, 0, 0, 0, 1, false, Optional.empty()));
        assertThat(running.await().exit()).isEqualTo(new Exit.Cancelled(false));
        running.cancel();
        running.signal(9);
        assertThat(running.await().exit()).isEqualTo(new Exit.Cancelled(false));
    }

    @Test
    void a_detached_command_goes_on_and_is_not_awaited() throws Exception {
        var sink = new RecordingSink();
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        starting.get().detach();
        end.expect(FrameType.DETACH);
        end.output(channel, 1, 0, "late");
        LinkFixture.settle(end);
        assertThatIllegalStateException().isThrownBy(() -> starting.get().await());
        assertThat(sink.stdout()).isEmpty();
        assertThat(fixture.link.isConnected()).isTrue();
    }

    @Test
    void interrupting_who_waits_leaves_the_command_alone() throws Exception {
        var starting = fixture.start(shell("x"), new RecordingSink());
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        var running = starting.get();
        var interrupted = new CountDownLatch(1);
        var waiting = Thread.ofVirtual().start(() -> {
            try {
                running.await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        waiting.interrupt();
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(end.waiting()).isZero();
        end.exited(channel, 0, 0);
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void an_older_command_is_found_again() throws Exception {
        var sink = new RecordingSink();
        var id = shell("x").id();
        var finding = fixture.attach(id, 5, 0, sink);
        var end = fixture.keeper.bridge();
        var attach = end.expect(FrameType.ATTACH);
        assertThat(attach.number(2)).isEqualTo(5);
        end.attached(attach.channel(), 8, 0);
        end.output(attach.channel(), 1, 5, "xyz");
        end.exited(attach.channel(), 4, 8);
        assertThat(finding.get().await().exit()).isEqualTo(new Exit.Exited(4));
        assertThat(sink.stdout()).isEqualTo("xyz");
    }

    @Test
    void a_command_that_nobody_knows_is_not_found() throws Exception {
        var finding = fixture.attach(shell("x").id(), 0, 0, new RecordingSink());
        var end = fixture.keeper.bridge();
        end.error(end.expect(FrameType.ATTACH).channel(), Refusal.Code.UNKNOWN_EXEC);
        assertThat(finding.result()).isEqualTo(Optional.empty());
    }

    @Test
    void a_stored_outcome_is_forgotten_with_the_next_frame() throws Exception {
        var first = shell("a");
        var starting = fixture.start(first, new RecordingSink());
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        end.exited(channel, 0, 0);
        starting.get().await();
        end.forgotten(); // that of the capture goes with START

        fixture.link.forget(first.id());
        fixture.start(shell("b"), new RecordingSink());

        assertThat(end.forgotten().fields().list(1).getFirst().getLong())
                .isEqualTo(first.id().value().getMostSignificantBits());
    }

    @Test
    void an_outcome_that_is_stored_before_there_is_a_connection_is_forgotten_later() throws Exception {
        var id = shell("old").id();
        fixture.link.forget(id);
        var starting = fixture.start(shell("a"), new RecordingSink());
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        starting.get();
        fixture.link.forget(shell("other").id());
        starting.get().cancel();
        var forgotten = List.of(end.forgotten(), end.forgotten(), end.forgotten());
        assertThat(forgotten)
                .extracting(each -> each.fields().list(1).getFirst().getLong())
                .contains(id.value().getMostSignificantBits());
    }

    @Test
    void closing_lets_go_and_tells_who_waits() throws Exception {
        var starting = fixture.start(shell("x"), new RecordingSink());
        var end = fixture.keeper.bridge();
        end.started(end.expect(FrameType.START).channel());
        var running = starting.get();

        fixture.link.close();

        end.expectClosed();
        assertThatIllegalStateException().isThrownBy(running::await).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> fixture.link.start(shell("y"), new RecordingSink()));
    }

    private Exit exitOf(Ended.How how, int code, int signal, long oomKills) throws Exception {
        try (var each = new LinkFixture()) {
            var starting = each.start(shell("x"), new RecordingSink());
            var end = each.keeper.bridge();
            int channel = end.expect(FrameType.START).channel();
            end.started(channel);
            end.end(channel, new Ended(how, code, signal, 0, 0, oomKills, 1, true, Optional.empty()));
            return starting.get().await().exit();
        }
    }

    private static void refuse(KeeperEnd end, Refusal.Code code) throws InterruptedException {
        end.refused(end.expect(FrameType.START).channel(), code);
    }

    private static Command argv(String... arguments) {
        return LinkFixture.command(new Program.Argv(List.of(arguments)), Map.of());
    }

    private static Command with(Command command, Stdin stdin) {
        return LinkFixture.stdin(command, stdin);
    }
}
