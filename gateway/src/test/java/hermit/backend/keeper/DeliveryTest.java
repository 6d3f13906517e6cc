package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.exec.ExecId;
import hermit.exec.OutputSink;
import hermit.exec.OutputStreamKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class DeliveryTest {
    private final CountDownLatch open = new CountDownLatch(1);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final List<String> taken = new ArrayList<>();

    /// Takes nothing before the test lets it.
    private final OutputSink gated = (stream, offset, bytes) -> {
        entered.countDown();
        open.await();
        taken.add("%s %d %s".formatted(stream, offset, StandardCharsets.UTF_8.decode(bytes)));
    };

    @Test
    void the_end_comes_after_all_output() throws Exception {
        var delivery = delivery(gated);
        add(delivery, OutputStreamKind.STDOUT, 0, "one");
        entered.await();
        add(delivery, OutputStreamKind.STDERR, 0, "two");
        var drained = new CompletableFuture<List<String>>();
        delivery.finish(() -> drained.complete(List.copyOf(taken)));
        assertThat(drained).isNotDone();

        open.countDown();

        assertThat(drained.get(10, TimeUnit.SECONDS)).containsExactly("stdout 0 one", "stderr 0 two");
    }

    @Test
    void a_sink_that_need_not_wait_is_given_output_at_once_and_otherwise_in_order() throws Exception {
        var willing = new AtomicBoolean(true);
        var delivery = delivery(new OutputSink() {
            @Override
            public void output(OutputStreamKind stream, long offset, ByteBuffer bytes) throws InterruptedException {
                gated.output(stream, offset, bytes);
            }

            @Override
            public boolean offer(OutputStreamKind stream, long offset, ByteBuffer bytes) {
                if (!willing.get()) return false;
                taken.add("at once %d %s".formatted(offset, StandardCharsets.UTF_8.decode(bytes)));
                return true;
            }
        });
        add(delivery, OutputStreamKind.STDOUT, 0, "one");
        assertThat(taken).containsExactly("at once 0 one");
        assertThat(delivery.isBackedUp()).isFalse();

        willing.set(false);
        add(delivery, OutputStreamKind.STDOUT, 3, "two");
        entered.await();
        willing.set(true);
        add(delivery, OutputStreamKind.STDOUT, 6, "three"); // what came before is not yet through
        finish(delivery);

        assertThat(taken).containsExactly("at once 0 one", "stdout 3 two", "stdout 6 three");
    }

    @Test
    void with_nothing_to_deliver_the_end_comes_at_once() {
        var drained = new AtomicBoolean();
        delivery(gated).finish(() -> drained.set(true));
        assertThat(drained).isTrue();
    }

    @Test
    void short_pieces_become_one_call() throws Exception {
        var delivery = delivery(gated);
        add(delivery, OutputStreamKind.STDOUT, 0, "-");
        entered.await();
        for (int i = 1; i <= 1_000; i++) add(delivery, OutputStreamKind.STDOUT, i, "x");
        finish(delivery);

        assertThat(taken).containsExactly("stdout 0 -", "stdout 1 " + "x".repeat(1_000));
    }

    @Test
    void streams_that_take_turns_byte_by_byte_stay_in_order_and_bounded() throws Exception {
        var delivery = delivery(gated);
        add(delivery, OutputStreamKind.STDOUT, 0, "-");
        entered.await();
        for (int i = 0; i < 50_000; i++) {
            add(delivery, OutputStreamKind.STDERR, i, "e");
            add(delivery, OutputStreamKind.STDOUT, i + 1, "o");
        }
        finish(delivery);

        assertThat(taken).hasSizeLessThan(1_000);
        assertThat(joined("stdout")).isEqualTo("-" + "o".repeat(50_000));
        assertThat(joined("stderr")).isEqualTo("e".repeat(50_000));
    }

    @Test
    void a_gap_is_seen_as_a_jump() throws Exception {
        var delivery = delivery(gated);
        add(delivery, OutputStreamKind.STDOUT, 0, "a");
        add(delivery, OutputStreamKind.STDOUT, 100, "b");
        finish(delivery);

        assertThat(taken).containsExactly("stdout 0 a", "stdout 100 b");
        assertThat(delivery.next(OutputStreamKind.STDOUT)).isEqualTo(101);
    }

    @Test
    void nothing_but_gaps_is_an_attack_on_our_memory() {
        var delivery = delivery(gated);
        assertThatExceptionOfType(BadFrame.class).isThrownBy(() -> {
            for (int i = 0; i < 1_000_000; i += 2) add(delivery, OutputStreamKind.STDOUT, i, "x");
        });
        delivery.stop();
    }

    @Test
    void what_waits_for_the_sink_is_not_granted_to_a_new_channel() throws Exception {
        var delivery = delivery(gated);
        add(delivery, OutputStreamKind.STDOUT, 0, "x".repeat(1_000));
        entered.await();
        assertThat(delivery.reopen()).isEqualTo(Delivery.WINDOW - 1_000);

        finish(delivery);

        assertThat(delivery.reopen()).isEqualTo(Delivery.WINDOW);
    }

    @Test
    void a_sink_that_fails_gets_no_more_and_the_end_still_comes() throws Exception {
        var delivery = delivery((stream, offset, bytes) -> {
            taken.add("call");
            throw new IllegalStateException("this sink always fails");
        });
        add(delivery, OutputStreamKind.STDOUT, 0, "a");
        add(delivery, OutputStreamKind.STDOUT, 50, "b");
        finish(delivery);

        assertThat(taken).containsExactly("call");
    }

    @Test
    void stopping_interrupts_the_sink() throws Exception {
        var interrupted = new CompletableFuture<Boolean>();
        var delivery = delivery((stream, offset, bytes) -> {
            entered.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                interrupted.complete(true);
                throw e;
            }
        });
        add(delivery, OutputStreamKind.STDOUT, 0, "a");
        entered.await();

        delivery.stop();

        assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
    }

    private Delivery delivery(OutputSink sink) {
        return new Delivery(new ExecId(new UUID(0, 1)), sink, 0, 0);
    }

    private static void add(Delivery delivery, OutputStreamKind stream, long offset, String text) throws BadFrame {
        delivery.add(stream, offset, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private void finish(Delivery delivery) throws Exception {
        var drained = new CompletableFuture<Boolean>();
        delivery.finish(() -> drained.complete(true));
        open.countDown();
        drained.get(10, TimeUnit.SECONDS);
    }

    private String joined(String stream) {
        var text = new StringBuilder();
        for (String each : taken) {
            var words = each.split(" ", 3);
            if (words[0].equals(stream)) text.append(words[2]);
        }
        return text.toString();
    }
}
