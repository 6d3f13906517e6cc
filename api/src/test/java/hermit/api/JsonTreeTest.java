package hermit.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JsonTreeTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "\"\"",
                "\"ä€😀\\u0000\\n\\\"\\\\\"",
                "0",
                "-7",
                "2147483648",
                "123456789012345678901234567890",
                "0.10",
                "1E+400",
                "true",
                "{\"a\":{\"b\":[1,{\"c\":null},[[]]]},\"\":false}"
            })
    void what_is_read_is_written_the_same(String text) throws Exception {
        JsonNode tree = JsonTree.parse(text);
        assertThat(JsonTree.write(tree)).isEqualTo(text);
        assertThat(JsonTree.parse(JsonTree.pretty(tree))).isEqualTo(tree);
    }

    @Test
    void the_usual_reader_reads_the_same_tree() throws Exception {
        var text = "{\"a\":[1,2147483648,true,null,\"x\"],\"b\":{\"c\":\"\"}}";
        assertThat(JsonTree.parse(text)).isEqualTo(new JsonMapper().readTree(text));
    }

    @Test
    void nothing_is_missing_and_not_null() throws Exception {
        assertThat(JsonTree.parse("").isMissingNode()).isTrue();
        assertThat(JsonTree.parse(" \n").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[1,", "{\"a\":}", "{} {}", "1 2", "x", "{'a':1}", "[1 2]", "\"", "{\"a\"}", "]"})
    void what_is_no_document_is_an_error(String text) {
        assertThatThrownBy(() -> JsonTree.parse(text)).isInstanceOf(JsonProcessingException.class);
    }

    @Test
    void depth_is_limited() {
        assertThatThrownBy(() -> JsonTree.parse("[".repeat(100_000))).isInstanceOf(JsonProcessingException.class);
    }
}
