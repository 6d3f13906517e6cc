package hermit.command.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.AnyInput;
import hermit.api.ApiJson;
import hermit.api.ExecOutput;
import hermit.command.ExecRequest.Encoding;
import hermit.http.FrameBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OutputTextTest {
    private static final JsonMapper MAPPER = ApiJson.mapper();

    @Test
    void a_character_whose_bytes_come_one_by_one_is_whole() {
        var text = new OutputText(Encoding.UTF8, 0);
        byte[] euro = "€".getBytes(StandardCharsets.UTF_8);
        assertThat(text.next(new byte[] {euro[0]})).isEmpty();
        assertThat(text.delivered()).isZero();
        assertThat(text.next(new byte[] {euro[1]})).isEmpty();
        assertThat(text.next(new byte[] {euro[2], 'x'}).map(OutputTextTest::read))
                .contains(new ExecOutput("€x", "utf8", 0));
        assertThat(text.delivered()).isEqualTo(4);
    }

    @Test
    void half_a_character_at_the_end_is_replaced_there_and_not_lost() {
        var text = new OutputText(Encoding.UTF8, 10);
        assertThat(text.next(new byte[] {'a', (byte) 0xE2, (byte) 0x82}).map(OutputTextTest::read))
                .contains(new ExecOutput("a", "utf8", 10));
        assertThat(text.rest().map(OutputTextTest::read)).contains(new ExecOutput("\ufffd", "utf8", 11));
        assertThat(text.rest()).isEmpty();
    }

    @Test
    void bytes_that_are_no_text_travel_as_base64_exactly() {
        var text = new OutputText(Encoding.BASE64, 0);
        byte[] bytes = {(byte) 0xE2, (byte) 0xFF, 0};
        assertThat(text.next(bytes).map(OutputTextTest::read))
                .contains(new ExecOutput(Base64.getEncoder().encodeToString(bytes), "base64", 0));
        assertThat(text.delivered()).isEqualTo(3);
    }

    /// Wherever the pieces are cut, the text is that of the whole.
    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void cutting_changes_nothing(long seed) {
        var any = new AnyInput(seed);
        int longest = any.between(1, 9);
        Random random = any.random();
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < 40; i++) all.writeBytes(random(random));
        byte[] bytes = all.toByteArray();

        var text = new OutputText(Encoding.UTF8, 0);
        var read = new StringBuilder();
        for (int at = 0; at < bytes.length; ) {
            int end = Math.min(bytes.length, at + 1 + random.nextInt(longest));
            text.next(Arrays.copyOfRange(bytes, at, end))
                    .ifPresent(each -> read.append(read(each).data()));
            at = end;
        }
        text.rest().ifPresent(each -> read.append(read(each).data()));
        assertThat(read.toString()).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        assertThat(text.delivered()).isEqualTo(bytes.length);
    }

    /// Byte for byte what the API's mapper writes of the text, whatever the bytes are.
    @ParameterizedTest
    @MethodSource("hermit.AnyInput#seeds")
    void its_json_is_that_of_the_mapper(long seed) throws IOException {
        var random = new Random(seed);
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < 40; i++) all.writeBytes(random(random));
        byte[] bytes = all.toByteArray();
        var expected = new ExecOutput(new String(bytes, StandardCharsets.UTF_8), "utf8", seed);
        assertThat(json(new OutputPiece(bytes, bytes.length, Encoding.UTF8, seed)))
                .isEqualTo(MAPPER.writeValueAsString(expected));
    }

    @Test
    void the_json_of_every_byte_and_of_every_pair_is_that_of_the_mapper() throws IOException {
        for (int pair = 0; pair < 0x10000; pair++) {
            byte[] bytes = {'a', (byte) (pair >> 8), (byte) pair, 'z'};
            var expected = new ExecOutput(new String(bytes, StandardCharsets.UTF_8), "utf8", 7);
            assertThat(json(new OutputPiece(bytes, bytes.length, Encoding.UTF8, 7)))
                    .isEqualTo(MAPPER.writeValueAsString(expected));
        }
    }

    @Test
    void the_end_of_a_character_beyond_the_piece_is_not_looked_at() {
        byte[] bytes = "€".getBytes(StandardCharsets.UTF_8);
        assertThat(json(new OutputPiece(bytes, 2, Encoding.UTF8, 0))).contains("\"data\":\"\ufffd\"");
    }

    private static ExecOutput read(OutputPiece piece) {
        try {
            return MAPPER.readValue(json(piece), ExecOutput.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String json(OutputPiece piece) {
        var frame = new FrameBuffer(1);
        piece.writeTo(frame);
        var out = new ByteArrayOutputStream();
        try {
            frame.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    /// A character, or bytes that may be anything.
    private static byte[] random(Random random) {
        if (random.nextInt(4) == 0) {
            byte[] noise = new byte[1 + random.nextInt(3)];
            random.nextBytes(noise);
            return noise;
        }
        var characters = List.of("a", "é", "€", "漢", "😀", "\n", "\u0000", "\"", "\\", "\u001b", "\u007f", "\u2028");
        return characters.get(random.nextInt(characters.size())).getBytes(StandardCharsets.UTF_8);
    }
}
