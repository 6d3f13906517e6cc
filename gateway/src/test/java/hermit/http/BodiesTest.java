package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BodiesTest {
    private static final int LIMIT = 1_000;

    private TestServer server = TestServer.with();

    @BeforeAll
    void start() {
        server.close();
        server = TestServer.with(
                Route.post("/public/echo", request -> Reply.ok(request.body())).withBodyLimit(LIMIT),
                Route.post("/public/act", request -> Reply.noContent()).withoutBody());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @Test
    void an_object_is_read_with_numbers_of_any_size_exactly() {
        String body = "{\"a\":1,\"b\":12345678901234567890123,\"c\":0.10,\"d\":[null,true,\"€\\u20ac\"],\"e\":{}}";
        assertThat(server.post("/public/echo", body).text())
                .isEqualTo(
                        "{\"a\":1,\"b\":12345678901234567890123,\"c\":0.10,\"d\":[null,true,\"€€\"],\"e\":{}}");
    }

    static List<String> wrong() {
        return List.of(
                "",
                " ",
                "null",
                "[]",
                "5",
                "\"text\"",
                "true",
                "{",
                "{}{}",
                "{} x",
                "{\"a\":1,\"a\":2}",
                "{\"a\":{\"b\":1,\"b\":1}}",
                "{\"a\":NaN}",
                "{\"a\":Infinity}",
                "{\"a\":01}",
                "{\"a\":.5}",
                "{'a':1}",
                "{a:1}",
                "{\"a\":1,}",
                "{\"a\":1}//",
                "{\"a\":\"\\ud800\"}",
                "{\"\\udc00\":1}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"line\nbreak\"}",
                "{\"a\":" + "9".repeat(101) + "}",
                "{\"a\":1." + "9".repeat(101) + "}",
                "{\"a\":" + "[".repeat(64) + "]".repeat(64) + "}",
                "{\"a\":".repeat(70) + "1" + "}".repeat(70),
                "[".repeat(900),
                "\ufeff{}");
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void whatever_is_not_exactly_one_sound_object_is_400(String body) {
        var response = server.post("/public/echo", body);
        assertThat(response.status()).as(response.text()).isEqualTo(400);
        assertThat(response.text())
                .contains("\"code\":\"invalid\"")
                .doesNotContain("jackson")
                .doesNotContain("StreamRead");
    }

    @Test
    void a_number_with_an_endless_exponent_costs_nothing() {
        assertThat(server.post("/public/echo", "{\"a\":1e999999999}").status())
                .isEqualTo(200);
        assertThat(server.post("/public/echo", "{\"a\":1e99999999999}").status())
                .isEqualTo(400);
    }

    @Test
    void a_key_given_twice_is_named() {
        assertThat(server.post("/public/echo", "{\"a\":{\"b\":1,\"b\":1}}").text())
                .contains("\"path\":\"a.b\"");
    }

    @Test
    void bytes_that_are_not_utf8_are_400() {
        assertThat(post("Content-Type: application/json", "{\"a\":\"\u00ff\u00fe\"}"))
                .startsWith("HTTP/1.1 400 ")
                .contains("UTF-8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-None: 1",
                "Content-Type: text/plain",
                "Content-Type: application/x-www-form-urlencoded",
                "Content-Type: application/json; charset=latin1",
                "Content-Type: application/jsonp",
                "Content-Type: multipart/form-data; boundary=x"
            })
    void a_body_of_another_type_is_415(String header) {
        assertThat(post(header, "{}")).startsWith("HTTP/1.1 415 ").contains("\"code\":\"unsupported_media\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: application/json",
                "Content-Type: APPLICATION/JSON",
                "Content-Type: application/json;charset=UTF-8"
            })
    void json_is_json_however_its_type_is_written(String header) {
        assertThat(post(header, "{}")).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void a_body_beyond_the_limit_is_413_whether_or_not_its_length_was_told() {
        String fits = "{\"a\":\"" + "x".repeat(LIMIT - 8) + "\"}";
        assertThat(server.post("/public/echo", fits).status()).isEqualTo(200);
        assertThat(server.post("/public/echo", fits + " ").status()).isEqualTo(413);
        String chunked = "POST /public/echo";
        String type = "Content-Type: application/json";
        String encoding = "Transfer-Encoding: chunked";
        String tooMuch = "3e9\r\n" + fits + " \r\n0\r\n\r\n";
        assertThat(server.raw(Raw.request(chunked, type, encoding) + tooMuch))
                .startsWith("HTTP/1.1 413 ")
                .contains("\"code\":\"too_large\"");
        String enough = "3e8\r\n" + fits + "\r\n0\r\n\r\n";
        assertThat(server.raw(Raw.request(chunked, type, encoding) + enough)).startsWith("HTTP/1.1 200 ");
        assertThat(server.raw(Raw.request(chunked, type, encoding) + "xyz\r\n")).startsWith("HTTP/1.1 400 ");
    }

    @Test
    void a_route_without_a_body_takes_none_or_an_empty_object() {
        assertThat(post("/public/act", "X-None: 1", "")).startsWith("HTTP/1.1 204 ");
        assertThat(server.post("/public/act", "{}").status()).isEqualTo(204);
        assertThat(server.post("/public/act", "").status()).isEqualTo(204);
        assertThat(server.post("/public/act", "{\"force\":true}").status()).isEqualTo(400);
        assertThat(server.post("/public/act", "null").status()).isEqualTo(400);
        assertThat(server.post("/public/act", "x".repeat(100)).status()).isEqualTo(413);
        assertThat(post("/public/act", "Content-Type: text/plain", "{}")).startsWith("HTTP/1.1 415 ");
    }

    private String post(String header, String body) {
        return post("/public/echo", header, body);
    }

    /// One character of the body is one byte.
    private String post(String path, String header, String body) {
        return server.raw(Raw.request("POST " + path, header, "Content-Length: " + body.length()) + body);
    }
}
