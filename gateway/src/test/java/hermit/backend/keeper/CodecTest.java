package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import hermit.AnyInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds for the codec whatever bytes come.
class CodecTest {
    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void frames_are_read_as_they_were_written_however_the_stream_is_cut(long seed) throws Exception {
        var any = new AnyInput(seed);
        List<Integer> sizes = any.list(1, 20, () -> any.between(0, Frame.MOST_PAYLOAD));
        int most = any.between(1, 100_000);
        var written = new ByteArrayOutputStream();
        for (int i = 0; i < sizes.size(); i++) written.write(frame(FrameType.PING, i, filled(sizes.get(i), i)));

        var reader = new FrameReader(new Trickle(written.toByteArray(), most));

        for (int i = 0; i < sizes.size(); i++) {
            var frame = reader.read();
            assertThat(frame.type()).isEqualTo(FrameType.PING);
            assertThat(frame.channel()).isEqualTo(i);
            assertThat(bytesOf(frame.payload())).isEqualTo(filled(sizes.get(i), i));
        }
        assertThatExceptionOfType(EOFException.class).isThrownBy(reader::read);
    }

    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void any_bytes_are_frames_or_a_clear_error(long seed) throws Exception {
        var any = new AnyInput(seed);
        byte[] noise = any.bytes(200);
        var reader = new FrameReader(new Trickle(noise, any.between(1, 7)));
        int frames = 0;
        boolean more = true;
        while (more) {
            try {
                reader.read();
                frames++;
            } catch (BadFrame | EOFException e) {
                assertThat(e.getMessage()).isNotBlank();
                more = false;
            }
        }
        assertThat(frames).isLessThanOrEqualTo(noise.length / Frame.HEADER);
    }

    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void a_length_outside_of_the_bounds_is_refused_before_anything_is_allocated(long seed) {
        var any = new AnyInput(seed);
        int length =
                any.random().nextBoolean() ? any.between(Integer.MIN_VALUE, Integer.MAX_VALUE) : any.between(0, 70_000);
        long unsigned = Integer.toUnsignedLong(length);
        byte[] header = ByteBuffer.allocate(Frame.HEADER)
                .putInt(length)
                .put(FrameType.PING.code())
                .array();
        var reader = new FrameReader(new ByteArrayInputStream(header));
        if (unsigned < 5 || unsigned > 65_541)
            assertThatExceptionOfType(BadFrame.class).isThrownBy(reader::read);
        else if (unsigned > 5) assertThatExceptionOfType(EOFException.class).isThrownBy(reader::read);
    }

    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void a_stream_that_ends_within_a_frame_is_not_taken_for_whole(long seed) throws Exception {
        var any = new AnyInput(seed);
        int cut = any.between(0, 60_008);
        int most = any.between(1, 100_000);
        byte[] whole = frame(FrameType.OUTPUT, 1, filled(60_000, 3));
        var reader = new FrameReader(new Trickle(Arrays.copyOf(whole, cut), most));
        assertThatExceptionOfType(EOFException.class).isThrownBy(reader::read);
    }

    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void fields_are_read_as_they_were_written(long seed) throws Exception {
        var any = new AnyInput(seed);
        long number = any.between(0L, Long.MAX_VALUE);
        List<String> texts = any.list(0, 10, () -> any.text(300));
        var writer = new FieldsWriter().number(1, number);
        texts.forEach(each -> writer.text(2, each));

        var reader = FieldsReader.of(ByteBuffer.wrap(writer.bytes()));

        assertThat(reader.number(1, Long.MAX_VALUE)).isEqualTo(number);
        assertThat(reader.list(2))
                .isEqualTo(texts.stream()
                        .map(each -> ByteBuffer.wrap(each.getBytes(StandardCharsets.UTF_8)))
                        .toList());
        reader.finish();
    }

    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void any_bytes_are_a_message_or_a_bad_frame(long seed) {
        readAll(new AnyInput(seed).bytes(120));
    }

    /// Noise hardly ever gets past the first field; a message with one byte changed does.
    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void a_damaged_message_is_a_message_or_a_bad_frame(long seed) {
        var any = new AnyInput(seed);
        for (byte[] message : messages()) {
            message[any.between(0, message.length - 1)] = (byte) any.between(-128, 127);
            readAll(message);
        }
    }

    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void prose_can_be_logged_and_is_short(long seed) throws Exception {
        byte[] noise = new AnyInput(seed).bytes(300);
        byte[] payload = new FieldsWriter().text(1, "").bytes();
        var fields = ByteBuffer.allocate(payload.length + noise.length)
                .put((byte) 1)
                .putInt(noise.length)
                .put(noise)
                .flip();
        String prose = FieldsReader.of(fields).prose(1, 100);
        assertThat(prose.length()).isLessThanOrEqualTo(100);
        assertThat(prose.codePoints()).noneMatch(c -> Character.isISOControl(c) || c == 0x202E);
    }

    private static List<byte[]> messages() {
        var boot = new UUID(1, 2);
        return List.of(
                KeeperEnd.hello(boot).bytes(),
                new FieldsWriter().number(1, 6).text(2, "no such directory").bytes(),
                new FieldsWriter()
                        .number(1, 7)
                        .number(2, 8)
                        .number(3, 9)
                        .number(4, 1)
                        .number(5, 10)
                        .bytes(),
                ended(1, 0, 0),
                ended(2, 0, 9));
    }

    private static byte[] ended(long how, long code, long signal) {
        return new FieldsWriter()
                .number(1, how)
                .number(2, code)
                .number(3, signal)
                .number(4, 5)
                .number(5, 6)
                .number(6, 0)
                .number(7, 1_000_000)
                .number(8, 0)
                .bytes();
    }

    private interface Message {
        Object read(ByteBuffer payload) throws BadFrame;
    }

    private static void readAll(byte[] payload) {
        for (Message message : List.<Message>of(Hello::read, Refusal::read, Attached::read, Ended::read)) {
            try {
                var read = message.read(ByteBuffer.wrap(payload));
                if (read instanceof Ended ended)
                    assertThat(ended.toEnd().duration()).isBetween(Duration.ZERO, Duration.ofDays(36_500_000));
            } catch (BadFrame e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
    }

    private static byte[] frame(FrameType type, int channel, byte[] payload) {
        return ByteBuffer.allocate(Frame.HEADER + payload.length)
                .putInt(5 + payload.length)
                .put(type.code())
                .putInt(channel)
                .put(payload)
                .array();
    }

    private static byte[] filled(int size, int seed) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) bytes[i] = (byte) (i * 31 + seed);
        return bytes;
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.slice().get(bytes);
        return bytes;
    }

    /// Gives a few bytes at a time, as a network does.
    private static final class Trickle extends InputStream {
        private final ByteArrayInputStream bytes;
        private final int most;

        Trickle(byte[] bytes, int most) {
            this.bytes = new ByteArrayInputStream(bytes);
            this.most = most;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            return bytes.read(to, offset, Math.min(length, most));
        }
    }
}
