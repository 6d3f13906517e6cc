package hermit.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class VisibleTextTest {
    @Test
    void what_a_screen_shows_as_it_is_stays() {
        assertThat(VisibleText.of("grep '\\.ü' 日本 🦊 > \"a b\"")).isEqualTo("grep '\\.ü' 日本 🦊 > \"a b\"");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                '\n', '\r', '\t', 0x1B, 0x7F, 0x9B, // act upon it
                0x202E, 0x2066, 0x200F, 0x061C, // reorder
                0x200B, 0xFEFF, 0xAD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x2800, 0x3164, 0xFFA0, 0xFE0F, 0x180B, 0xE0100,
                0xA0, 0x2003, 0x2028, 0x2029, 0x3000, // look like a space or nothing
                0xE000, 0x378, 0x27E6
            })
    void what_it_would_hide_reorder_or_act_upon_is_written_out(int point) {
        assertThat(VisibleText.of("a" + Character.toString(point) + "b")).isEqualTo("a⟦U+%04X⟧b".formatted(point));
    }

    @Test
    void half_a_pair_is_written_out() {
        assertThat(VisibleText.of("a\ud800b")).isEqualTo("a⟦U+D800⟧b");
    }

    @Test
    void nobody_can_write_such_a_sign_themselves() {
        assertThat(VisibleText.of("⟦U+000A⟧")).isEqualTo("⟦U+27E6⟧U+000A⟧");
    }
}
