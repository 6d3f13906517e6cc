package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.command.LiveExec.Event;
import hermit.exec.Command.Program;
import hermit.exec.ExecId;
import hermit.exec.OutputStreamKind;
import hermit.sandbox.SandboxId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class LiveExecTest {
    private static final OutputStreamKind STDOUT = OutputStreamKind.STDOUT;
    private static final int PIECE = 64 << 10;

    private final byte[] printed = new byte[3 * OutputBuffer.RING];
    private final LiveExec exec = new LiveExec(record());

    LiveExecTest() {
        new Random(1).nextBytes(printed);
    }

    @Test
    void who_holds_the_command_misses_nothing_however_late_they_begin_to_read() throws Exception {
        try (var follower = exec.follow(0, 0, true)) {
            int taken = 0;
            while (exec.offer(STDOUT, taken, piece(taken))) taken += PIECE;
            assertThat(taken).isEqualTo(OutputBuffer.RING);
            var rest = new FutureTask<>(() -> print(OutputBuffer.RING));
            Thread.ofVirtual().start(rest);

            assertThat(read(follower, printed.length)).isEqualTo(printed);
            rest.get();
        }
    }

    @Test
    void who_comes_late_is_told_what_they_missed() throws Exception {
        for (int at = 0; at < printed.length; at += PIECE)
            assertThat(exec.offer(STDOUT, at, piece(at))).isTrue();
        try (var follower = exec.follow(0, 0, true)) {
            assertThat(follower.next(Duration.ZERO))
                    .isEqualTo(new Event.Gap(STDOUT, printed.length - OutputBuffer.RING));
        }
    }

    @Test
    void output_waits_for_the_slowest_of_those_who_hold_the_command() throws Exception {
        try (var slow = exec.follow(0, 0, true);
                var fast = exec.follow(0, 0, true)) {
            var all = new FutureTask<>(() -> print(0));
            Thread.ofVirtual().start(all);
            assertThat(read(fast, OutputBuffer.RING)).hasSize(OutputBuffer.RING);
            assertThat(all.isDone()).isFalse();

            var slowly = new FutureTask<>(() -> read(slow, printed.length));
            Thread.ofVirtual().start(slowly);
            read(fast, printed.length - OutputBuffer.RING);
            all.get();
            assertThat(slowly.get()).isEqualTo(printed);
        }
    }

    @Test
    void output_goes_on_when_the_one_that_it_waits_for_has_gone() throws Exception {
        var follower = exec.follow(0, 0, true);
        var all = new FutureTask<>(() -> print(0));
        Thread printing = Thread.ofVirtual().start(all);
        while (printing.getState() != Thread.State.TIMED_WAITING) Thread.onSpinWait();

        follower.close();

        all.get();
        assertThat(exec.total(STDOUT)).isEqualTo(printed.length);
    }

    private int print(int from) throws InterruptedException {
        for (int at = from; at < printed.length; at += PIECE) exec.output(STDOUT, at, piece(at));
        return printed.length;
    }

    private ByteBuffer piece(int at) {
        return ByteBuffer.wrap(printed, at, PIECE);
    }

    private static byte[] read(LiveExec.Follower follower, int length) throws InterruptedException {
        var all = new ByteArrayOutputStream();
        while (all.size() < length) {
            var event = follower.next(Duration.ofMinutes(1));
            assertThat(event).isInstanceOf(Event.Output.class);
            all.writeBytes(((Event.Output) event).bytes());
        }
        return all.toByteArray();
    }

    private static ExecRecord record() {
        return new ExecRecord(
                new ExecId(new UUID(0, 1)),
                new SandboxId(new UUID(0, 2)),
                new UUID(0, 3),
                "admin",
                new Program.Shell("yes"),
                "/root",
                Optional.empty(),
                false,
                Optional.empty(),
                0,
                Optional.empty(),
                1,
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                0,
                0,
                List.of());
    }
}
