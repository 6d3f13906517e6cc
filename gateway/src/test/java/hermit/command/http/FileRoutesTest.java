package hermit.command.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.exec.LiveState;
import hermit.http.Raw;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FileRoutesTest {
    private static final String ROW = "/api/agents/main/sandboxes/default";
    private static final String FILES = ROW + "/files";

    private final TestGateway gateway = new TestGateway();
    private final TestClient client = gateway.client;
    private UUID sandbox = new UUID(0, 0);

    @BeforeEach
    void an_agent_with_a_sandbox_that_has_no_machine_yet() {
        client.post("/api/agents", Map.of("id", "main"));
        sandbox = UUID.fromString(String.valueOf(client.get(ROW).object().get("id")));
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    private Answer put(String path, String content) {
        return client.send(client.request(FILES + "?path=" + path).PUT(BodyPublishers.ofString(content)));
    }

    private Answer get(String path, String... headers) {
        var request = client.request(FILES + "?path=" + path);
        return client.send(headers.length == 0 ? request : request.headers(headers));
    }

    @Test
    void the_first_call_may_be_a_file_call() {
        assertThat(get("nothing").status()).isEqualTo(404);
        assertThat(gateway.docker.state(sandbox)).contains(LiveState.State.RUNNING);
    }

    @Test
    void what_is_written_is_read_and_the_answer_says_whether_it_is_new() {
        var created = put("notes/a%20b.txt", "hello");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.object())
                .containsEntry("path", "/root/notes/a b.txt")
                .containsEntry("name", "a b.txt")
                .containsEntry("type", "file")
                .containsEntry("size", 5)
                .containsEntry("mode", "0644");
        assertThat(put("/root/notes/a%20b.txt", "other").status()).isEqualTo(200);
        assertThat(get("notes/a%20b.txt").text()).isEqualTo("other");
    }

    @Test
    void a_body_of_unknown_length_and_an_empty_one_are_written() {
        var unknown = client.request(FILES + "?path=u")
                .PUT(BodyPublishers.ofInputStream(
                        () -> new java.io.ByteArrayInputStream("chunks".getBytes(StandardCharsets.UTF_8))));
        assertThat(client.send(unknown).status()).isEqualTo(201);
        assertThat(get("u").text()).isEqualTo("chunks");
        assertThat(put("empty", "").status()).isEqualTo(201);
        var empty = get("empty");
        assertThat(empty.status()).isEqualTo(200);
        assertThat(empty.header("Content-Length")).isEqualTo("0");
    }

    @Test
    void a_download_is_saved_and_never_shown() {
        put("x%22%0d.html".replace("%0d", ""), "<script>alert(1)</script>");
        put("%C3%BC.html", "<script>alert(1)</script>");
        var answer = get("%C3%BC.html");
        assertThat(answer.header("Content-Type")).isEqualTo("application/octet-stream");
        assertThat(answer.header("Content-Disposition")).isEqualTo("attachment; filename*=UTF-8''%C3%BC.html");
        assertThat(answer.header("Content-Security-Policy")).startsWith("sandbox;");
        assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(get("x%22.html").header("Content-Disposition")).endsWith("''x%22.html");
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-2, 012, bytes 0-2/10",
        "bytes=7-, 789, bytes 7-9/10",
        "bytes=-2, 89, bytes 8-9/10",
        "bytes=-100, 0123456789, bytes 0-9/10",
        "bytes=8-100, 89, bytes 8-9/10"
    })
    void a_range_is_a_206(String range, String content, String contentRange) {
        put("f", "0123456789");
        var answer = get("f", "Range", range);
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.text()).isEqualTo(content);
        assertThat(answer.header("Content-Range")).isEqualTo(contentRange);
        assertThat(answer.header("Content-Length")).isEqualTo("" + content.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=10-", "bytes=10-12", "bytes=-0"})
    void a_range_beyond_the_file_is_a_416_with_the_size(String range) {
        put("f", "0123456789");
        var answer = get("f", "Range", range);
        assertThat(answer.status()).isEqualTo(416);
        assertThat(answer.header("Content-Range")).isEqualTo("bytes */10");
        assertThat(answer.code()).isEqualTo("invalid");
    }

    @Test
    void several_ranges_are_none_and_every_file_says_that_it_takes_one() {
        put("f", "0123456789");
        var answer = get("f", "Range", "bytes=0-1,3-4");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).isEqualTo("0123456789");
        assertThat(answer.header("Accept-Ranges")).isEqualTo("bytes");
    }

    @Test
    void head_is_get_without_the_bytes() {
        put("f", "0123456789");
        var head = client.send(client.request(FILES + "?path=f").method("HEAD", BodyPublishers.noBody()));
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.header("Content-Length")).isEqualTo("10");
        assertThat(client.get(ROW).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../x",
                "%2e%2e/x",
                "%252e%252e/x",
                "a/../../x",
                "..%2fx",
                "..%5cx",
                "a%5cb",
                "a%00b",
                "a%0ab",
                "",
                "/..",
                "%25252e%25252e"
            })
    void a_path_that_could_climb_is_a_400_on_every_route(String path) {
        assertThat(List.of(
                        get(path),
                        put(path, "x"),
                        client.delete(FILES + "?path=" + path),
                        client.get(FILES + "/list?path=" + path),
                        client.get(FILES + "/stat?path=" + path),
                        client.get(FILES + "/archive?path=" + path),
                        client.send(
                                client.request(FILES + "/archive?path=" + path).PUT(BodyPublishers.ofString("x")))))
                .allSatisfy(answer -> {
                    assertThat(answer.status()).isEqualTo(400);
                    assertThat(answer.paths()).containsExactly("path");
                });
        String plain = java.net.URLDecoder.decode(path, StandardCharsets.UTF_8);
        assertThat(client.post(FILES + "/mkdir", Map.of("path", plain)).status())
                .isEqualTo(400);
        var move = client.post(FILES + "/move", Map.of("from", "a", "to", plain));
        assertThat(move.status()).isEqualTo(400);
        assertThat(move.paths()).containsExactly("to");
    }

    @Test
    void a_missing_path_is_named() {
        var answer = client.get(FILES);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.paths()).containsExactly("path");
    }

    @Test
    void directories_are_made_listed_page_by_page_moved_and_removed() {
        assertThat(client.post(FILES + "/mkdir", Map.of("path", "d/e")).object())
                .containsEntry("type", "directory");
        for (String name : List.of("c", "a", "b")) put("d/" + name, name);
        var first = client.get(FILES + "/list?path=d&limit=3");
        assertThat(first.items()).extracting(each -> each.get("name")).containsExactly("a", "b", "c");
        var rest = client.get(
                FILES + "/list?path=d&limit=3&cursor=" + first.object().get("next_cursor"));
        assertThat(rest.items()).extracting(each -> each.get("path")).containsExactly("/root/d/e");
        assertThat(rest.object().get("next_cursor")).isNull();

        assertThat(client.post(FILES + "/move", Map.of("from", "d/a", "to", "z"))
                        .object())
                .containsEntry("path", "/root/z");
        assertThat(client.get(FILES + "/stat?path=d/a").status()).isEqualTo(404);
        assertThat(client.delete(FILES + "?path=d").code()).isEqualTo("conflict");
        assertThat(client.delete(FILES + "?path=d&recursive=true").status()).isEqualTo(204);
        assertThat(client.get(FILES + "/list?path=/root").items())
                .extracting(each -> each.get("name"))
                .containsExactly("z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/root", "/root/", "//root/.", "."})
    void the_agent_home_itself_stays(String home) {
        put("f", "x");
        assertThat(client.delete(FILES + "?recursive=true&path=" + home).status())
                .isEqualTo(403);
        assertThat(client.post(FILES + "/move", Map.of("from", home, "to", "/x"))
                        .status())
                .isEqualTo(403);
        assertThat(get("f").text()).isEqualTo("x");
    }

    @Test
    void archives_go_up_and_down_and_refused_entries_are_listed() throws Exception {
        var tar = new ByteArrayOutputStream();
        try (var out = new TarArchiveOutputStream(tar)) {
            var file = new TarArchiveEntry("sub/f");
            file.setSize(2);
            out.putArchiveEntry(file);
            out.write(new byte[] {'o', 'k'});
            out.closeArchiveEntry();
            var link = new TarArchiveEntry("bad", TarConstants.LF_SYMLINK);
            link.setLinkName("/etc");
            out.putArchiveEntry(link);
            out.closeArchiveEntry();
        }
        var up = client.send(client.request(FILES + "/archive?path=/root")
                .header("Content-Type", "application/x-tar")
                .PUT(BodyPublishers.ofByteArray(tar.toByteArray())));
        assertThat(up.text()).isEqualTo("{\"refused\":[{\"name\":\"bad\",\"reason\":\"link\"}],\"refused_count\":1}");
        assertThat(get("sub/f").text()).isEqualTo("ok");

        var down = client.get(FILES + "/archive?path=sub");
        assertThat(down.header("Content-Type")).isEqualTo("application/x-tar");
        assertThat(down.header("Content-Disposition")).endsWith("''sub.tar");
        assertThat(down.text()).contains("sub/f").contains("ok");
        assertThat(client.get(FILES + "/archive?path=nothing").status()).isEqualTo(404);
        var junk = client.request(FILES + "/archive?path=/root").PUT(BodyPublishers.ofString("no tar"));
        assertThat(client.send(junk).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"f.lost", "f.short"})
    void a_transfer_that_fails_midway_is_cut_and_never_a_short_success(String name) {
        put(name, "0123456789");
        String answer = Raw.exchange(
                gateway.port(),
                Raw.request("GET " + FILES + "?path=" + name, "Authorization: Bearer " + TestClient.TOKEN));
        // Nothing at all may arrive, or a beginning; what arrives never adds up to what was promised.
        assertThat(answer).doesNotContain("0123456789");
        if (!answer.isEmpty()) assertThat(answer).startsWith("HTTP/1.1 200").contains("Content-Length: 10");
        assertThat(gateway.docker.isQuiet(sandbox)).isTrue();
    }

    @Test
    void a_file_that_grows_meanwhile_is_as_long_as_it_was() {
        put("f.long", "0123456789");
        assertThat(get("f.long").text()).isEqualTo("0123456789");
    }

    @Test
    void a_client_that_leaves_midway_ends_the_operation_and_lets_the_sandbox_go() throws Exception {
        put("f.hang", "0123456789");
        try (var raw = new Raw(gateway.port())) {
            raw.send(Raw.request("GET " + FILES + "?path=f.hang", "Authorization: Bearer " + TestClient.TOKEN));
            gateway.time.awaitPausing(1);
            raw.reset();
        }
        // Nothing is written while the sandbox is silent, so that only a forced stop or the watch finds out.
        assertThat(client.send("POST", ROW + "/stop", "").code()).isEqualTo("busy");
        assertThat(client.send("POST", ROW + "/stop?force=true", "").status()).isEqualTo(200);
        assertThat(gateway.docker.isQuiet(sandbox)).isTrue();
    }

    @Test
    void an_upload_that_is_cut_off_is_never_taken_for_the_whole() {
        put("f", "old");
        for (String framing : List.of("Content-Length: 10", "Transfer-Encoding: chunked")) {
            try (var raw = new Raw(gateway.port())) {
                String start = framing.startsWith("T") ? "5\r\nhello\r\n" : "hello";
                raw.send(Raw.request("PUT " + FILES + "?path=f", framing, "Authorization: Bearer " + TestClient.TOKEN)
                        + start);
                raw.endOutput();
                assertThat(raw.readToEnd()).startsWith("HTTP/1.1 400 ");
            }
        }
        assertThat(get("f").text()).isEqualTo("old");
        assertThat(client.send("POST", ROW + "/stop", "").status()).isEqualTo(200);
    }

    @Test
    void an_agent_without_a_sandbox_has_no_files() {
        client.delete(ROW);
        assertThat(get("f").code()).isEqualTo("no_sandbox");
    }
}
