package hermit.turn;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.session.Redaction;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TextFlowTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
    private static final Redaction SECRETS =
            new Redaction(List.of("correct horse", "short")); // the second is too short

    @Test
    void the_first_piece_comes_at_once_and_then_they_gather() {
        var flow = new TextFlow(Redaction.NONE, NOW);
        flow.add("a");
        assertThat(flow.take(NOW, false)).isEqualTo("a");
        flow.add("b");
        assertThat(flow.take(NOW.plusMillis(100), false)).isEmpty();
        flow.add("c");
        assertThat(flow.take(NOW.plusMillis(250), false)).isEqualTo("bc");
        assertThat(flow.take(NOW.plusMillis(900), false)).isEmpty();
        assertThat(flow.taken()).isEqualTo("abc");
    }

    @Test
    void much_comes_at_once_and_the_rest_at_the_end() {
        var flow = new TextFlow(Redaction.NONE, NOW);
        flow.add("a");
        flow.take(NOW, false);
        flow.add("x".repeat(2_000));
        assertThat(flow.take(NOW, false)).hasSize(2_000);
        flow.add("z");
        assertThat(flow.take(NOW, true)).isEqualTo("z");
    }

    @Test
    void a_secret_never_shows_however_it_is_cut() {
        String text = "it is correct horse, and correct houses are short";
        for (int cut = 0; cut <= text.length(); cut++) {
            var flow = new TextFlow(SECRETS, NOW);
            flow.add(text.substring(0, cut));
            String first = flow.take(NOW, false);
            flow.add(text.substring(cut));
            String rest = flow.take(NOW, true);
            assertThat(first + rest).isEqualTo("it is (hidden), and correct houses are short");
            assertThat(first).doesNotContain("correct hors");
        }
    }

    @Test
    void half_a_character_waits_for_its_other_half() {
        var flow = new TextFlow(Redaction.NONE, NOW);
        flow.add("a\ud83d");
        assertThat(flow.take(NOW, false)).isEqualTo("a");
        flow.add("\ude00");
        assertThat(flow.take(NOW, true)).isEqualTo("😀");
    }
}
