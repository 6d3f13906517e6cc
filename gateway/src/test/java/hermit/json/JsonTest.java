package hermit.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JsonTest {
    @Test
    void every_kind_of_value_survives_being_written_and_read() throws Exception {
        var document = new LinkedHashMap<String, @Nullable Object>();
        document.put("text", "ä \" \\ \n 👋");
        document.put("long", 9_007_199_254_740_993L);
        document.put("big", new BigInteger("123456789012345678901234567890"));
        document.put("decimal", new BigDecimal("0.10"));
        document.put("list", Arrays.asList(1L, null, true, new LinkedHashMap<>()));
        document.put("none", null);

        assertThat(Json.object(Json.write(document))).isEqualTo(document);
        assertThat(Json.object(Json.write(document)).keySet()).containsExactlyElementsOf(document.keySet());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{",
                "{} {}",
                "{\"a\":1,\"a\":2}",
                "{\"a\":1,}",
                "{a:1}",
                "{\"a\":NaN}",
                "{\"a\":01}"
            })
    void what_is_not_exactly_one_object_is_refused_with_its_place(String text) {
        assertThatThrownBy(() -> Json.object(text))
                .isInstanceOf(Json.Broken.class)
                .hasMessageMatching("(?s)line \\d+, column \\d+: .+");
    }

    @Test
    void the_place_is_that_of_the_mistake() {
        assertThatThrownBy(() -> Json.object("{\n  \"a\": 1,\n  \"a\": 2\n}")).hasMessageStartingWith("line 3, column");
    }

    @Test
    void a_list_is_not_an_object() throws Exception {
        assertThat(Json.list("[\"a\", 2]")).containsExactly("a", 2L);
        assertThatThrownBy(() -> Json.list("{}")).hasMessageContaining("must be a list");
    }
}
