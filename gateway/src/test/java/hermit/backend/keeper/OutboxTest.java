package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60) // only so that a broken test ends
@DisplayNameGeneration(ReplaceUnderscores.class)
class OutboxTest {
    private final Outbox outbox = new Outbox();
    private final LinkedBlockingQueue<byte[]> writes = new LinkedBlockingQueue<>();
    private final CountDownLatch underWay = new CountDownLatch(1);
    private final CountDownLatch mayWrite = new CountDownLatch(1);

    @AfterEach
    void close() {
        mayWrite.countDown();
        outbox.close();
    }

    @Test
    void what_gathers_during_one_write_goes_out_in_the_next() throws Exception {
        outbox.put(FrameType.CANCEL, 1, new byte[0]);
        startWriting();
        // The first write waits for the test; these come in the meantime.
        underWay.await();
        for (int i = 0; i < 100; i++) outbox.put(FrameType.STDIN, 7, new byte[] {(byte) i});
        mayWrite.countDown();

        assertThat(nextWrite()).hasSize(9);
        assertThat(nextWrite()).hasSize(100 * 10);
    }

    @Test
    void a_lazy_frame_goes_out_with_the_next_one() throws Exception {
        mayWrite.countDown();
        startWriting();
        outbox.putLazily(FrameType.FORGET, 0, new byte[3]);
        outbox.put(FrameType.PING, 0, new byte[8]);

        var write = ByteBuffer.wrap(nextWrite());

        assertThat(write.getInt()).isEqualTo(5 + 3);
        assertThat(write.get()).isEqualTo(FrameType.FORGET.code());
        assertThat(write.capacity()).isEqualTo(12 + 17);
    }

    @Test
    void a_long_request_is_cut_into_frames_that_stay_together() throws Exception {
        mayWrite.countDown();
        byte[] request = new byte[2 * Frame.MOST_PAYLOAD + 5];
        for (int i = 0; i < request.length; i++) request[i] = (byte) (i * 7);
        outbox.putLong(FrameType.START, FrameType.MORE, 9, request);
        startWriting();

        var write = ByteBuffer.wrap(nextWrite());
        var types = new ArrayList<Byte>();
        var together = ByteBuffer.allocate(request.length);
        while (write.hasRemaining()) {
            int size = write.getInt() - 5;
            types.add(write.get());
            assertThat(write.getInt()).isEqualTo(9);
            together.put(write.slice(write.position(), size));
            write.position(write.position() + size);
        }

        assertThat(types).isEqualTo(List.of(FrameType.MORE.code(), FrameType.MORE.code(), FrameType.START.code()));
        assertThat(together.array()).isEqualTo(request);
    }

    @Test
    void a_large_request_waits_while_the_other_side_does_not_read() throws Exception {
        outbox.put(FrameType.CANCEL, 1, new byte[0]);
        startWriting();
        underWay.await();
        for (int i = 0; i < 5; i++) outbox.put(FrameType.STDIN, 1, new byte[Frame.MOST_PAYLOAD]);
        var waiting = Thread.ofVirtual().unstarted(() -> {
            try {
                outbox.awaitRoom();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waiting.start();
        Waiting.until(() -> waiting.getState() == Thread.State.WAITING);

        mayWrite.countDown();

        assertThat(waiting.join(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void what_nobody_reads_is_bounded() {
        for (int i = 0; i < 2_000; i++) outbox.put(FrameType.STDIN, 1, new byte[Frame.MOST_PAYLOAD]);

        assertThat(outbox.overflowed()).isTrue();
    }

    private void startWriting() {
        Thread.ofVirtual().start(() -> {
            try {
                outbox.writeTo(new Recorder(), () -> {});
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private byte[] nextWrite() throws InterruptedException {
        var write = writes.poll(10, TimeUnit.SECONDS);
        if (write == null) throw new AssertionError("nothing was written");
        return write;
    }

    private final class Recorder extends OutputStream {
        @Override
        public void write(int b) {
            throw new AssertionError("written byte by byte");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            underWay.countDown();
            try {
                mayWrite.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            writes.add(Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }
}
