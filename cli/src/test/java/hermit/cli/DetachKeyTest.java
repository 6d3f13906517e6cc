package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DetachKeyTest {
    private final DetachKey.Reader reader = new DetachKey.Reader();

    @ParameterizedTest
    @CsvSource({"Ctrl-],29", "ctrl-p,16", "CTRL-P,16", "^],29", "^p,16", "^@,0", "^_,31", "^\\,28"})
    void a_key_is_one_byte(String text, int code) {
        assertThat(reader.convert(text).code()).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "]", "x", "Ctrl-", "Ctrl-ab", "^1", "None", "Alt-x"})
    void anything_else_is_no_key(String text) {
        assertThatThrownBy(() -> reader.convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void it_is_found_where_it_is_first_and_not_behind_what_was_typed() {
        byte[] keys = {'a', 29, 'b', 29};
        assertThat(reader.convert("^]").find(keys, 4)).isEqualTo(1);
        assertThat(reader.convert("^]").find(keys, 1)).isEqualTo(-1);
        assertThat(DetachKey.NONE.find(new byte[] {(byte) 0xff}, 1)).isEqualTo(-1);
    }

    @Test
    void it_is_named_as_it_is_written() {
        assertThat(reader.convert("^]")).hasToString(DetachKey.USUAL);
        assertThat(reader.convert("none")).hasToString("none");
    }
}
