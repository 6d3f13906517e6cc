package hermit.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import hermit.problem.GatewayException.Invalid;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FieldsTest {
    @Test
    void all_mistakes_are_told_at_once_with_their_paths() {
        var fields = Fields.of(Map.of("a", 5, "b", Map.of("c", "x", "extra", 1)));
        fields.text("a");
        fields.nested("b").ifPresent(b -> {
            b.integer("c", 1, 2);
            b.close();
        });
        fields.required("d", fields.text("d"), "");
        assertThat(mistakes(fields))
                .containsExactlyInAnyOrder(
                        "a: must be a text, not a number",
                        "b.c: must be a whole number, not a text",
                        "b.extra: unknown field",
                        "d: is required");
    }

    @Test
    void an_unknown_key_is_answered_with_the_nearest_known_one() {
        var fields = Fields.at("config", Map.of("imgae", "x"));
        fields.text("image");
        assertThat(mistakes(fields)).containsExactly("config.imgae: unknown field (did you mean 'image'?)");
    }

    @Test
    void null_is_no_value_of_any_type() {
        var values = new HashMap<String, Object>();
        for (String key : List.of("text", "int", "bool", "list", "object")) values.put(key, null);
        var fields = Fields.of(values);
        fields.text("text");
        fields.integer("int", 0, 1);
        fields.bool("bool");
        fields.texts("list");
        fields.object("object");
        assertThat(fields.errors()).hasSize(5).allMatch(error -> error.message().equals("must not be null"));
    }

    @Test
    void numbers_keep_to_their_bounds_however_large_they_are_written() {
        var fields = Fields.of(
                Map.of("big", new BigInteger("99999999999999999999"), "low", 0L, "fraction", 1.5, "nan", Double.NaN));
        fields.integer("big", 1, 10);
        fields.integer("low", 1, 10);
        fields.integer("fraction", 1, 10);
        fields.decimal("nan", "0", "1");
        assertThat(mistakes(fields))
                .containsExactlyInAnyOrder(
                        "big: must be between 1 and 10",
                        "low: must be between 1 and 10",
                        "fraction: must be a whole number",
                        "nan: must be a finite number");
    }

    @Test
    void a_value_that_is_echoed_is_cut_and_made_harmless() {
        var fields = Fields.of(Map.of("a", "\u001b[31m" + "x".repeat(10_000)));
        fields.text("a", Pattern.compile("[a-z]"), "one letter");
        var error = fields.errors().getFirst();
        assertThat(error.message()).hasSizeLessThan(150).doesNotContain("\u001b");
    }

    @Test
    void a_text_with_nul_is_refused_everywhere() {
        var fields = Fields.of(Map.of("a", "x\0", "b", Arrays.asList("fine", "x\0"), "c", Map.of("k", "\0")));
        fields.text("a");
        fields.texts("b");
        fields.textMap("c", Pattern.compile("k"), "k");
        assertThat(mistakes(fields))
                .containsExactly(
                        "a: must not contain NUL",
                        "b[1]: must be a text without NUL",
                        "c.k: must be a text without NUL");
    }

    @Test
    void a_document_without_mistakes_passes() {
        var fields = Fields.of(Map.of("a", "x"));
        assertThat(fields.text("a")).contains("x");
        fields.finish();
    }

    private static List<String> mistakes(Fields fields) {
        Invalid thrown = catchThrowableOfType(Invalid.class, fields::finish);
        return thrown.errors().stream()
                .map(error -> error.path() + ": " + error.message())
                .toList();
    }
}
