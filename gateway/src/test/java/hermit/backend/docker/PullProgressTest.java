package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PullProgressTest {
    private final MovedClock clock = new MovedClock(() -> Instant.EPOCH);
    private final List<String> lines = new ArrayList<>();
    private final PullProgress progress = new PullProgress("image", lines::add, clock);

    @Test
    void layers_are_added_up() {
        progress.layer("a", 50, 100);
        clock.advance(Duration.ofSeconds(1));
        progress.layer("b", 150, 300);
        clock.advance(Duration.ofSeconds(1));
        progress.layer("b", 250, 300);
        assertThat(lines).containsExactly("pulling image: 50 %", "pulling image: 75 %");
    }

    @Test
    void it_does_not_go_back_when_more_becomes_known() {
        progress.layer("a", 90, 100);
        clock.advance(Duration.ofSeconds(1));
        progress.layer("b", 0, 100);
        assertThat(lines).containsExactly("pulling image: 90 %");
    }

    @Test
    void there_are_a_few_lines_a_second_and_the_last_is_not_held_back() {
        for (int i = 1; i <= 100; i++) {
            progress.layer("a", i, 100);
            clock.advance(Duration.ofMillis(20));
        }
        assertThat(lines).hasSizeLessThanOrEqualTo(8).last().isEqualTo("pulling image: 100 %");
    }

    @Test
    void a_layer_that_is_complete_counts_in_full() {
        progress.layer("a", 10, 100);
        clock.advance(Duration.ofSeconds(1));
        progress.complete("a");
        progress.complete("unknown");
        assertThat(lines).containsExactly("pulling image: 10 %", "pulling image: 100 %");
    }
}
