package hermit.config;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.problem.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class DotenvTest {
    private final List<FieldError> mistakes = new ArrayList<>();

    @Test
    void lines_quotes_and_comments_are_understood() {
        var values = Dotenv.parse("""
                # a comment
                PLAIN=value with spaces   # and a comment
                HASH=a#b
                export EXPORTED = yes
                SINGLE='kept # "as it is" \\n'
                DOUBLE="one\\ntwo \\"three\\" \\\\" # after it
                EMPTY=

                """, mistakes);

        assertThat(mistakes).isEmpty();
        assertThat(values)
                .containsExactly(
                        Map.entry("PLAIN", "value with spaces"),
                        Map.entry("HASH", "a#b"),
                        Map.entry("EXPORTED", "yes"),
                        Map.entry("SINGLE", "kept # \"as it is\" \\n"),
                        Map.entry("DOUBLE", "one\ntwo \"three\" \\"),
                        Map.entry("EMPTY", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no equals sign: s3cret",
                "1KEY=s3cret",
                "K='s3cret",
                "K=\"s3cret",
                "K=\"s3cret\\x\"",
                "K='s3cret' s3cret"
            })
    void a_malformed_line_is_named_by_its_number_and_never_shown(String line) {
        Dotenv.parse("OK=1\n" + line, mistakes);

        assertThat(mistakes).singleElement().satisfies(mistake -> {
            assertThat(mistake.path()).isEqualTo(".env line 2");
            assertThat(mistake.message()).doesNotContain("s3cret");
        });
    }

    @Test
    void a_key_that_comes_twice_is_a_mistake() {
        assertThat(Dotenv.parse("A=1\nA=2", mistakes)).containsEntry("A", "1");
        assertThat(mistakes).containsExactly(new FieldError(".env line 2", "A is given twice"));
    }
}
