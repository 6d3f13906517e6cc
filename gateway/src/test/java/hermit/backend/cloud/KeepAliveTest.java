package hermit.backend.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.backend.keeper.Scheduler;
import hermit.problem.GatewayException.BackendUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class KeepAliveTest {
    /// Time that moves when a test takes the next task.
    private static final class Turns implements Scheduler {
        final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

        volatile long now;

        @Override
        public long nanos() {
            return now;
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH;
        }

        @Override
        public Task after(Duration delay, Runnable task) {
            tasks.add(task);
            return () -> tasks.remove(task);
        }
    }

    private final Turns turns = new Turns();
    private final Semaphore prolonged = new Semaphore(0);
    private volatile boolean busy = true;
    private volatile boolean failing;

    private final KeepAlive keepAlive = new KeepAlive(turns, Duration.ofMinutes(1), () -> busy, () -> {
        prolonged.release();
        if (failing) throw new BackendUnavailable("out of reach");
    });

    private void turn() throws InterruptedException {
        turns.tasks.poll(30, TimeUnit.SECONDS).run();
    }

    private void awaitProlonged() throws InterruptedException {
        assertThat(prolonged.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void a_machine_in_use_is_prolonged_at_every_turn_and_however_many_begin_there_is_one() throws Exception {
        keepAlive.begin();
        keepAlive.begin();
        assertThat(turns.tasks).hasSize(1);
        for (int i = 0; i < 3; i++) {
            turn();
            awaitProlonged();
        }
    }

    @Test
    void a_failure_is_tried_again() throws Exception {
        failing = true;
        keepAlive.begin();
        turn();
        awaitProlonged();
        turn();
        awaitProlonged();
    }

    @Test
    void nothing_is_asked_once_nothing_runs_and_it_begins_again_with_the_next_command() throws Exception {
        keepAlive.begin();
        busy = false;
        turn();
        // The turn ends on a thread of its own; the next beginning is taken once it has.
        while (turns.tasks.isEmpty()) {
            keepAlive.begin();
            Thread.onSpinWait();
        }
        assertThat(prolonged.availablePermits()).isZero();
        busy = true;
        turn();
        awaitProlonged();
    }

    @Test
    void after_a_silence_it_is_prolonged_at_once() throws Exception {
        turns.now = Duration.ofHours(1).toNanos();
        keepAlive.begin();
        awaitProlonged();
    }

    @Test
    void closed_it_asks_no_more() {
        keepAlive.begin();
        keepAlive.close();
        keepAlive.begin();
        assertThat(turns.tasks).isEmpty();
    }
}
