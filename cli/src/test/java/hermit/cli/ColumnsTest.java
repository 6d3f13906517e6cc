package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ColumnsTest {
    @Test
    void what_fits_stays_as_it_is() {
        assertThat(Columns.clipped("ls -la", 6)).isEqualTo("ls -la");
        assertThat(Columns.clipped("日本語", 6)).isEqualTo("日本語");
        assertThat(Columns.clipped("", 0)).isEmpty();
    }

    @Test
    void wide_characters_take_two_columns_and_marks_none() {
        assertThat(Columns.clipped("日本語", 5)).isEqualTo("日本…");
        assertThat(Columns.clipped("日本語", 4)).isEqualTo("日…");
        assertThat(Columns.clipped("e\u0301e\u0301e\u0301", 3)).isEqualTo("e\u0301e\u0301e\u0301");
        assertThat(Columns.clipped("e\u0301e\u0301e\u0301", 2)).isEqualTo("e\u0301…");
    }
}
