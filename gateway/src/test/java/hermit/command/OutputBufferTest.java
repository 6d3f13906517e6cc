package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.AnyInput;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OutputBufferTest {
    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void a_reader_that_keeps_up_gets_every_byte_once(long seed) {
        var any = new AnyInput(seed);
        int cap = any.between(0, 5_000);
        int largest = any.between(1, 300_000);
        Random random = any.random();
        var buffer = new OutputBuffer(cap);
        var written = new ByteArrayOutputStream();
        var read = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[random.nextInt(largest) + 1];
            random.nextBytes(bytes);
            buffer.append(written.size(), ByteBuffer.wrap(bytes));
            written.writeBytes(bytes);
            while (read.size() < buffer.total()) {
                var piece = buffer.read(read.size(), random.nextInt(70_000) + 1).orElseThrow();
                assertThat(piece.offset()).isEqualTo(read.size());
                read.writeBytes(piece.bytes());
            }
        }
        assertThat(read.toByteArray()).isEqualTo(written.toByteArray());
        assertThat(buffer.head()).isEqualTo(Arrays.copyOf(written.toByteArray(), Math.min(cap, written.size())));
    }

    @Test
    void a_reader_that_falls_behind_sees_where_it_goes_on() {
        var buffer = new OutputBuffer(10);
        byte[] bytes = new byte[3 * OutputBuffer.RING];
        new Random(1).nextBytes(bytes);
        buffer.append(0, ByteBuffer.wrap(bytes));
        assertThat(buffer.read(0, 100).orElseThrow().bytes()).hasSize(10);
        var piece = buffer.read(10, 100).orElseThrow();
        assertThat(piece.offset()).isEqualTo(bytes.length - OutputBuffer.RING);
        assertThat(piece.bytes())
                .isEqualTo(Arrays.copyOfRange(bytes, (int) piece.offset(), (int) piece.offset() + 100));
    }

    @Test
    void bytes_that_are_delivered_again_count_once() {
        var buffer = new OutputBuffer(100);
        buffer.append(0, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        buffer.append(1, ByteBuffer.wrap(new byte[] {2, 3, 4}));
        buffer.append(0, ByteBuffer.wrap(new byte[] {1, 2}));
        assertThat(buffer.total()).isEqualTo(4);
        assertThat(buffer.head()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void after_a_gap_the_beginning_is_not_continued() {
        var buffer = new OutputBuffer(100);
        buffer.append(0, ByteBuffer.wrap(new byte[] {1}));
        buffer.append(50, ByteBuffer.wrap(new byte[] {2}));
        assertThat(buffer.head()).containsExactly(1);
        assertThat(buffer.read(1, 10).orElseThrow().offset()).isEqualTo(50);
        assertThat(buffer.total()).isEqualTo(51);
    }

    @Test
    void output_that_was_counted_and_never_came_is_a_gap() {
        var buffer = new OutputBuffer(100);
        buffer.append(0, ByteBuffer.wrap(new byte[] {1}));
        buffer.endAt(9);
        assertThat(buffer.total()).isEqualTo(9);
        assertThat(buffer.read(1, 10).orElseThrow().bytes()).isEmpty();
        assertThat(buffer.read(9, 10)).isEmpty();
    }
}
