package hermit.backend.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/// What holds for the codec whatever bytes come.
class CodecTest {
    @Property(tries = 200)
    void frames_are_read_as_they_were_written_however_the_stream_is_cut(
            @ForAll @NotEmpty @Size(max = 20) List<@IntRange(max = Frame.MOST_PAYLOAD) Integer> sizes,
            @ForAll @IntRange(min = 1, max = 100_000) int most)
            throws Exception {
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

    @Property
    void any_bytes_are_frames_or_a_clear_error(
            @ForAll @Size(max = 200) byte[] noise, @ForAll @IntRange(min = 1, max = 7) int most) throws Exception {
        var reader = new FrameReader(new Trickle(noise, most));
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

    @Property
    void a_length_outside_of_the_bounds_is_refused_before_anything_is_allocated(@ForAll int length) {
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

    @Property
    void a_stream_that_ends_within_a_frame_is_not_taken_for_whole(
            @ForAll @IntRange(max = 70_000) int cut, @ForAll @IntRange(min = 1, max = 100_000) int most)
            throws Exception {
        byte[] whole = frame(FrameType.OUTPUT, 1, filled(60_000, 3));
        var reader = new FrameReader(new Trickle(Arrays.copyOf(whole, Math.min(cut, whole.length - 1)), most));
        assertThatExceptionOfType(EOFException.class).isThrownBy(reader::read);
    }

    @Property
    void fields_are_read_as_they_were_written(
            @ForAll @LongRange(min = 0) long number,
            @ForAll @Size(max = 10) List<@StringLength(max = 300) String> texts)
            throws Exception {
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

    @Property
    void any_bytes_are_a_message_or_a_bad_frame(@ForAll @Size(max = 120) byte[] noise) {
        readAll(noise);
    }

    /// Noise hardly ever gets past the first field; a message with one byte changed does.
    @Property
    void a_damaged_message_is_a_message_or_a_bad_frame(
            @ForAll @IntRange(max = 200) int at, @ForAll byte value, @ForAll @IntRange(max = 4) int which) {
        byte[] message = messages().get(which);
        message[at % message.length] = value;
        readAll(message);
    }

    @Property
    void prose_can_be_logged_and_is_short(@ForAll @Size(max = 300) byte[] noise) throws Exception {
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
