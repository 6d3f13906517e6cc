package hermit.approval;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ShownTextTest {
    @Test
    void what_a_screen_shows_as_it_is_stays() {
        assertThat(ShownText.of("grep '\\.ü' 日本 🦊 > \"a b\"")).isEqualTo("grep '\\.ü' 日本 🦊 > \"a b\"");
    }

    @Test
    void what_it_would_hide_reorder_or_act_upon_is_written_out() {
        assertThat(ShownText.of("a\nb\rc\td\u001b[1m\u007f"))
                .isEqualTo("a⟦U+000A⟧b⟦U+000D⟧c⟦U+0009⟧d⟦U+001B⟧[1m⟦U+007F⟧");
        assertThat(ShownText.of("x\u202ey\u2066z\u200f\u200b\ufeff"))
                .isEqualTo("x⟦U+202E⟧y⟦U+2066⟧z⟦U+200F⟧⟦U+200B⟧⟦U+FEFF⟧");
        assertThat(ShownText.of("a\u00a0b\u2028c\ud800d\ue000")).isEqualTo("a⟦U+00A0⟧b⟦U+2028⟧c⟦U+D800⟧d⟦U+E000⟧");
    }

    @Test
    void nobody_can_write_such_a_sign_themselves() {
        assertThat(ShownText.of("⟦U+000A⟧")).isEqualTo("⟦U+27E6⟧U+000A⟧");
    }

    @Test
    void of_a_long_text_the_beginning_and_the_end_are_shown() {
        String shown = ShownText.of("a".repeat(5_000) + "; rm -rf /");
        assertThat(shown).startsWith("aaa").contains("⟦2010 more characters⟧").endsWith("; rm -rf /");
        assertThat(ShownText.of("a".repeat(3_000))).hasSize(3_000);
    }
}
