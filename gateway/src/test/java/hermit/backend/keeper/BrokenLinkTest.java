package hermit.backend.keeper;

import static hermit.backend.keeper.LinkFixture.shell;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.exec.Command.Stdin;
import hermit.exec.Exit;
import hermit.exec.MachineGone;
import hermit.exec.RunningCommand;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Invalid;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What becomes of commands when bridges break, machines go away, and nothing answers.
@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrokenLinkTest {
    private final LinkFixture fixture = new LinkFixture();
    private final RecordingSink sink = new RecordingSink();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void output_goes_on_where_it_stopped() throws Exception {
        var first = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        end.started(start.channel());
        var running = first.get();
        end.output(start.channel(), 1, 0, "abc");
        end.output(start.channel(), 2, 0, "e");
        LinkFixture.settle(end);
        breakForGood(end);

        end = fixture.keeper.bridge();
        var attach = end.expect(FrameType.ATTACH);
        assertThat(attach.fields().list(1)).isEqualTo(start.fields().list(1));
        assertThat(attach.number(2)).isEqualTo(3);
        assertThat(attach.number(3)).isEqualTo(1);
        assertThat(attach.number(5)).isEqualTo(StartRequest.HOLD);
        end.attached(attach.channel(), 6, 1);
        end.output(attach.channel(), 1, 3, "def");
        end.end(attach.channel(), new Ended(Ended.How.EXITED, 0, 0, 6, 1, 0, 1_000, false, Optional.empty()));

        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(sink.stdout()).isEqualTo("abcdef");
        assertThat(sink.stderr()).isEqualTo("e");
    }

    @Test
    void what_still_waits_for_the_sink_is_neither_lost_nor_asked_for_again() throws Exception {
        var open = new CountDownLatch(1);
        var entered = new CountDownLatch(1);
        var first = fixture.start(shell("x"), (stream, offset, bytes) -> {
            entered.countDown();
            open.await();
            sink.output(stream, offset, bytes);
        });
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        var running = first.get();
        end.output(channel, 1, 0, "abc");
        entered.await();
        end.output(channel, 1, 3, "def");
        LinkFixture.settle(end);
        breakForGood(end);

        end = fixture.keeper.bridge();
        var attach = end.expect(FrameType.ATTACH);
        assertThat(attach.number(2)).isEqualTo(6);
        assertThat(attach.number(4)).isEqualTo(Delivery.WINDOW - 6);
        end.attached(attach.channel(), 6, 0);
        end.exited(attach.channel(), 0, 6);
        open.countDown();

        running.await();
        assertThat(sink.stdout()).isEqualTo("abcdef");
    }

    @Test
    void all_commands_come_back_over_one_new_bridge() throws Exception {
        var running = new ArrayList<RunningCommand>();
        var starting = new ArrayList<LinkFixture.Starting>();
        for (int i = 0; i < 64; i++) starting.add(fixture.start(shell("x"), new RecordingSink()));
        var end = fixture.keeper.bridge();
        for (int i = 0; i < 64; i++) end.started(end.expect(FrameType.START).channel());
        for (var each : starting) running.add(each.get());
        breakForGood(end);

        end = fixture.keeper.bridge();
        for (int i = 0; i < 64; i++) {
            int channel = end.expect(FrameType.ATTACH).channel();
            end.attached(channel, 0, 0);
            end.exited(channel, 0, 0);
        }

        for (var each : running) assertThat(each.await().exit()).isEqualTo(new Exit.Exited(0));
        assertThat(fixture.keeper.attempts()).isEqualTo(2);
    }

    @Test
    void a_start_that_arrived_before_the_break_is_found() throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        end.expect(FrameType.START);
        breakForGood(end);

        end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.ATTACH).channel();
        end.attached(channel, 2, 0);
        var running = starting.get();
        end.output(channel, 1, 0, "ok");
        end.exited(channel, 5, 2);

        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(5));
        assertThat(sink.stdout()).isEqualTo("ok");
    }

    @Test
    void a_start_that_never_arrived_is_sent_again() throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        var lost = end.expect(FrameType.START);
        breakForGood(end);

        end = fixture.keeper.bridge();
        end.error(end.expect(FrameType.ATTACH).channel(), Refusal.Code.UNKNOWN_EXEC);
        var again = end.expect(FrameType.START);
        assertThat(again.payload()).isEqualTo(lost.payload());
        end.started(again.channel());
        end.exited(again.channel(), 0, 0);

        assertThat(starting.get().await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void a_start_that_crossed_the_break_is_followed_and_not_doubled() throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        end.expect(FrameType.START);
        breakForGood(end);

        end = fixture.keeper.bridge();
        end.error(end.expect(FrameType.ATTACH).channel(), Refusal.Code.UNKNOWN_EXEC);
        end.refused(end.expect(FrameType.START).channel(), Refusal.Code.ALREADY_STARTED);
        int channel = end.expect(FrameType.ATTACH).channel();
        end.attached(channel, 0, 0);
        end.exited(channel, 0, 0);

        assertThat(starting.get().await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void a_start_that_is_still_under_way_is_asked_for_again() throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        end.expect(FrameType.START);
        breakForGood(end);

        end = fixture.keeper.bridge();
        int early = end.expect(FrameType.ATTACH).channel();
        end.attached(early, 0, 0, 0);
        end.expect(FrameType.DETACH);
        end.refused(early, Refusal.Code.CWD_NOT_FOUND); // crosses the DETACH
        fixture.scheduler.awaitTaskWithin(Duration.ofMillis(50));
        fixture.scheduler.advance(Duration.ofMillis(50));
        end.error(end.expect(FrameType.ATTACH).channel(), Refusal.Code.UNKNOWN_EXEC);
        end.refused(end.expect(FrameType.START).channel(), Refusal.Code.CWD_NOT_FOUND);

        assertThatExceptionOfType(Invalid.class).isThrownBy(starting::get);
    }

    @Test
    void stdin_that_the_keeper_threw_away_is_not_taken_for_sent() throws Exception {
        var starting = fixture.start(LinkFixture.stdin(shell("cat"), new Stdin.Open()), sink);
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.mute();
        end.started(channel);
        var stdin = starting.get().stdin();
        stdin.write(1);
        end.expect(FrameType.STDIN);
        end.error(channel, Refusal.Code.TOO_LARGE);
        int next = end.expect(FrameType.ATTACH).channel();
        end.send(FrameType.PONG, 0, end.ping().payload().array());
        end.attached(next, 0, 0);
        LinkFixture.settle(end);

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> stdin.write(2));
    }

    @Test
    void a_start_into_a_machine_that_restarted_may_have_run_and_is_not_repeated() throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        end.expect(FrameType.START);
        fixture.keeper.reboot();
        breakForGood(end);
        end = fixture.keeper.bridge();

        assertThat(starting.get().await().exit()).isInstanceOf(Exit.SandboxLost.class);
        LinkFixture.settle(end);
        assertThat(end.waiting()).isZero();
    }

    @Test
    void a_command_of_a_machine_that_restarted_is_lost() throws Exception {
        var running = runningOn(fixture.keeper);
        fixture.keeper.reboot();
        breakForGood(running.end);
        fixture.keeper.bridge();

        assertThat(running.command.await().exit())
                .isEqualTo(new Exit.SandboxLost("the sandbox was restarted while the command ran"));
    }

    @Test
    void a_command_of_a_machine_that_is_gone_is_lost() throws Exception {
        var running = runningOn(fixture.keeper);
        fixture.keeper.gone("the container was removed");
        breakForGood(running.end);

        assertThat(running.command.await().exit()).isEqualTo(new Exit.SandboxLost("the container was removed"));
    }

    @Test
    void a_command_cannot_be_started_in_a_machine_that_is_gone() {
        fixture.keeper.gone("the container was removed");
        var starting = fixture.start(shell("x"), sink);
        assertThatExceptionOfType(MachineGone.class).isThrownBy(starting::get).withMessage("the container was removed");
    }

    @Test
    void a_link_that_was_silent_is_tried_before_a_command_is_sent() throws Exception {
        var first = runningOn(fixture.keeper);
        first.end.mute();
        fixture.keeper.gone("the container is paused");
        fixture.scheduler.advance(Duration.ofSeconds(1));

        var second = fixture.start(shell("second"), sink);
        first.end.ping();
        fixture.scheduler.awaitTaskWithin(Duration.ofSeconds(3));
        fixture.scheduler.advance(Duration.ofSeconds(3));

        assertThatExceptionOfType(MachineGone.class).isThrownBy(second::get).withMessage("the container is paused");
        first.end.expectClosed(); // and no START before that
    }

    @Test
    void a_machine_that_cannot_be_reached_is_tried_again_after_pauses_that_grow() throws Exception {
        var running = runningOn(fixture.keeper);
        fixture.keeper.unreachable("no route");
        breakForGood(running.end);
        Waiting.until(() -> fixture.keeper.attempts() == 2);
        for (int millis : new int[] {100, 200, 400, 800, 1_600, 2_000, 2_000}) {
            int attempts = fixture.keeper.attempts();
            fixture.scheduler.awaitTaskWithin(Duration.ofMillis(millis));
            fixture.scheduler.advance(Duration.ofMillis(millis - 1));
            assertThat(fixture.keeper.attempts()).isEqualTo(attempts);
            fixture.scheduler.advance(Duration.ofMillis(1));
            Waiting.until(() -> fixture.keeper.attempts() == attempts + 1);
        }

        fixture.keeper.reachable();
        fixture.scheduler.awaitTaskWithin(Duration.ofSeconds(2));
        fixture.scheduler.advance(Duration.ofSeconds(2));
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.ATTACH).channel();
        end.attached(channel, 0, 0);
        end.exited(channel, 0, 0);
        assertThat(running.command.await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void callers_do_not_make_a_storm_of_attempts() {
        fixture.keeper.unreachable("no route");
        for (int i = 0; i < 100; i++)
            assertThatExceptionOfType(BackendUnavailable.class)
                    .isThrownBy(() -> fixture.link.start(shell("x"), sink))
                    .withMessageContaining("no route");
        assertThat(fixture.keeper.attempts()).isEqualTo(1);
        fixture.scheduler.advance(Connector.FIRST_PAUSE);
        assertThatExceptionOfType(BackendUnavailable.class).isThrownBy(() -> fixture.link.start(shell("x"), sink));
        assertThat(fixture.keeper.attempts()).isEqualTo(2);
    }

    @Test
    void a_keeper_that_breaks_each_connection_at_once_is_not_run_after() throws Exception {
        var running = runningOn(fixture.keeper);
        running.end.close(); // it lived for no time at all
        fixture.scheduler.awaitTaskWithin(Connector.FIRST_PAUSE);
        assertThat(fixture.keeper.attempts()).isEqualTo(1);
    }

    @Test
    void a_deadline_without_an_answer_ends_in_doubt() throws Exception {
        var running = runningOn(fixture.keeper);
        fixture.keeper.unreachable("no route");
        breakForGood(running.end);
        passUntil(Duration.ofSeconds(64));
        assertThat(fixture.link.isConnected()).isFalse();
        passUntil(Duration.ofSeconds(65));

        assertThat(running.command.await().exit()).isInstanceOf(Exit.TransportLost.class);
    }

    @Test
    void without_a_deadline_a_minute_without_a_connection_ends_in_doubt() throws Exception {
        var starting = fixture.start(LinkFixture.withoutDeadline(shell("x")), sink);
        var end = fixture.keeper.bridge();
        var start = end.expect(FrameType.START);
        assertThat(start.number(6)).isZero();
        end.started(start.channel());
        var running = starting.get();
        fixture.keeper.unreachable("no route");
        breakForGood(end);
        Waiting.until(() -> fixture.keeper.attempts() == 2);
        fixture.scheduler.advance(Patience.WITHOUT_DEADLINE);

        assertThat(running.await().exit()).isInstanceOf(Exit.TransportLost.class);
    }

    @Test
    void without_a_deadline_a_command_may_run_for_ever_while_there_is_a_connection() throws Exception {
        var starting = fixture.start(LinkFixture.withoutDeadline(shell("x")), sink);
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        var running = starting.get();
        for (int i = 0; i < 100; i++) {
            fixture.scheduler.advance(Duration.ofSeconds(10));
            LinkFixture.settle(end);
        }
        end.exited(channel, 0, 0);
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void a_keeper_that_misses_a_deadline_is_told_to_end_the_command() throws Exception {
        var running = runningOn(fixture.keeper);
        for (int i = 0; i < 64; i++) {
            fixture.scheduler.advance(Duration.ofSeconds(1));
            LinkFixture.settle(running.end);
        }
        fixture.scheduler.advance(Duration.ofSeconds(1));
        assertThat(running.command.await().exit()).isInstanceOf(Exit.TransportLost.class);
        running.end.expect(FrameType.CANCEL);
        running.end.expect(FrameType.DETACH);
    }

    @Test
    void a_sink_that_is_slower_than_the_deadline_is_not_a_lost_transport() throws Exception {
        var open = new CountDownLatch(1);
        var entered = new CountDownLatch(1);
        var starting = fixture.start(shell("x"), (stream, offset, bytes) -> {
            entered.countDown();
            open.await();
        });
        var end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.START).channel();
        end.started(channel);
        var running = starting.get();
        end.output(channel, 1, 0, "abc");
        entered.await();
        for (int i = 0; i < 100; i++) {
            fixture.scheduler.advance(Duration.ofSeconds(1));
            LinkFixture.settle(end);
        }
        open.countDown();
        end.end(channel, new Ended(Ended.How.TIMED_OUT, 0, 9, 3, 0, 0, 60_000_000, true, Optional.empty()));
        assertThat(running.await().exit()).isEqualTo(new Exit.TimedOut());
    }

    @Test
    void a_start_that_nobody_answers_ends_in_doubt() throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = fixture.keeper.bridge();
        end.expect(FrameType.START);
        for (int i = 0; i < 59; i++) {
            fixture.scheduler.advance(Duration.ofSeconds(1));
            LinkFixture.settle(end);
        }
        assertThat(starting.found()).isNotDone();
        fixture.scheduler.advance(Duration.ofSeconds(1));
        assertThat(starting.get().await().exit()).isInstanceOf(Exit.TransportLost.class);
    }

    @Test
    void a_record_that_the_keeper_dropped_leaves_the_outcome_in_doubt() throws Exception {
        var running = runningOn(fixture.keeper);
        breakForGood(running.end);
        var end = fixture.keeper.bridge();
        end.error(end.expect(FrameType.ATTACH).channel(), Refusal.Code.UNKNOWN_EXEC);
        assertThat(running.command.await().exit()).isInstanceOf(Exit.TransportLost.class);
    }

    @Test
    void what_was_asked_for_in_between_is_done_afterwards() throws Exception {
        var running = runningOn(fixture.keeper);
        fixture.keeper.unreachable("no route");
        breakForGood(running.end);
        Waiting.until(() -> fixture.keeper.attempts() == 2);
        running.command.signal(2);
        running.command.cancel();
        fixture.keeper.reachable();
        fixture.scheduler.awaitTaskWithin(Connector.FIRST_PAUSE);
        fixture.scheduler.advance(Connector.FIRST_PAUSE);

        var end = fixture.keeper.bridge();
        end.attached(end.expect(FrameType.ATTACH).channel(), 0, 0);

        end.expect(FrameType.CANCEL);
        end.expect(FrameType.SIGNAL);
    }

    @Test
    void stdin_that_has_arrived_is_not_sent_again() throws Exception {
        var starting = fixture.start(LinkFixture.stdin(shell("cat"), new Stdin.Bytes(new byte[100])), sink);
        var end = fixture.keeper.bridge();
        end.started(end.expect(FrameType.START).channel());
        end.expect(FrameType.STDIN);
        end.expect(FrameType.STDIN_EOF);
        var running = starting.get();
        end.ping(); // asks whether it has arrived
        LinkFixture.settle(end);
        end.ping(); // and for its end
        LinkFixture.settle(end);
        breakForGood(end);

        end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.ATTACH).channel();
        end.attached(channel, 0, 0);
        LinkFixture.settle(end);
        assertThat(end.waiting()).isZero();
        end.exited(channel, 0, 0);
        assertThat(running.await().exit()).isEqualTo(new Exit.Exited(0));
    }

    @Test
    void a_command_whose_stdin_was_cut_is_ended_rather_than_half_fed() throws Exception {
        var starting = fixture.start(LinkFixture.stdin(shell("cat"), new Stdin.Bytes(new byte[100])), sink);
        var end = fixture.keeper.bridge();
        int first = end.expect(FrameType.START).channel();
        end.mute();
        end.started(first);
        end.expect(FrameType.STDIN);
        var running = starting.get();
        breakForGood(end);

        end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.ATTACH).channel();
        end.attached(channel, 0, 0);
        end.expect(FrameType.CANCEL);
        end.end(channel, new Ended(Ended.How.CANCELLED, 0, 15, 0, 0, 0, 1, false, Optional.empty()));
        assertThat(running.await().exit())
                .isEqualTo(new Exit.TransportLost("its stdin was cut short when the connection broke"));
    }

    @Test
    void a_writer_learns_that_its_bytes_are_in_doubt() throws Exception {
        var starting = fixture.start(LinkFixture.stdin(shell("cat"), new Stdin.Open()), sink);
        var end = fixture.keeper.bridge();
        end.started(end.expect(FrameType.START).channel());
        end.mute();
        var stdin = starting.get().stdin();
        stdin.write(1);
        end.expect(FrameType.STDIN);
        breakForGood(end);

        end = fixture.keeper.bridge();
        end.attached(end.expect(FrameType.ATTACH).channel(), 0, 0);
        LinkFixture.settle(end);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> stdin.write(2))
                .withMessageContaining("how much of it arrived is unknown");
        assertThatExceptionOfType(IOException.class).isThrownBy(stdin::close);
    }

    @Test
    void a_writer_waits_for_the_next_connection() throws Exception {
        var starting = fixture.start(LinkFixture.stdin(shell("cat"), new Stdin.Open()), sink);
        var end = fixture.keeper.bridge();
        end.started(end.expect(FrameType.START).channel());
        var stdin = starting.get().stdin();
        breakForGood(end);
        end = fixture.keeper.bridge();
        int channel = end.expect(FrameType.ATTACH).channel();
        var writing = Thread.ofVirtual().start(() -> {
            try (stdin) {
                stdin.write(65);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        end.attached(channel, 0, 0);
        assertThat(end.expect(FrameType.STDIN).text()).isEqualTo("A");
        end.expect(FrameType.STDIN_EOF);
        assertThat(writing.join(Duration.ofSeconds(10))).isTrue();
    }

    private record Running(RunningCommand command, KeeperEnd end) {}

    private Running runningOn(FakeKeeper keeper) throws Exception {
        var starting = fixture.start(shell("x"), sink);
        var end = keeper.bridge();
        end.started(end.expect(FrameType.START).channel());
        return new Running(starting.get(), end);
    }

    /// Breaks a connection that had lived for a while, so that the next attempt need not wait.
    private void breakForGood(KeeperEnd end) {
        fixture.scheduler.advance(Duration.ofSeconds(1));
        end.close();
    }

    /// Time goes on in small steps up to this time since the start, while attempts to connect come and fail.
    private void passUntil(Duration since) {
        while (fixture.scheduler.nanos() < since.toNanos()) fixture.scheduler.advance(Duration.ofMillis(500));
    }
}
