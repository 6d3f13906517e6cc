package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@DisplayNameGeneration(ReplaceUnderscores.class)
class SmallThingsTest {
    @ParameterizedTest
    @CsvSource({"500ms,PT0.5S", "30s,PT30S", "5m,PT5M", "2h,PT2H"})
    void a_duration_has_a_unit(String text, Duration duration) {
        assertThat(new Durations().convert(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "30", "s", "-1s", "1.5s", "0s", "1d", "9999999999s", "30 s"})
    void anything_else_is_no_duration(String text) {
        assertThatThrownBy(() -> new Durations().convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void columns_are_as_wide_as_their_widest_cell_counted_in_characters() {
        assertThat(new Table("A", "B").row("größe😀", "1").row("x", "2").render(false))
                .isEqualTo("A       B\ngröße😀  1\nx       2\n");
    }

    @Test
    void a_value_that_is_json_is_json_and_the_rest_is_text() {
        assertThat(JsonArgument.valueOrText("4001").isInt()).isTrue();
        assertThat(JsonArgument.valueOrText("null").isNull()).isTrue();
        assertThat(JsonArgument.valueOrText("0.0.0.0").asText()).isEqualTo("0.0.0.0");
        assertThat(JsonArgument.valueOrText("0.0.0.0").isTextual()).isTrue();
        assertThat(JsonArgument.valueOrText("").isTextual()).isTrue();
        assertThat(JsonArgument.valueOrText("{\"a\":1}").isObject()).isTrue();
    }
}
