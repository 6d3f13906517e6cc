package hermit.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.cli.FakeGateway.Asked;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SandboxCopyTest extends CliTest {
    private static final String FILES = "/api/agents/main/sandboxes/default/files";

    @TempDir
    Path outer;

    private Path work = Path.of("");

    @BeforeEach
    void an_empty_directory() throws IOException {
        work = Files.createDirectory(outer.resolve("work"));
    }

    private void there(String asked, String path, String type) {
        gateway.on(
                "GET " + FILES + "/stat?path=" + asked,
                200,
                "{\"path\":\"%s\",\"name\":\"x\",\"type\":\"%s\"}".formatted(path, type));
    }

    private void notThere(String asked) {
        gateway.problem("GET " + FILES + "/stat?path=" + asked, 404, "not_found", "No such file in the sandbox: x");
    }

    private void file(String path, byte[] content) {
        there(path, path.replace("%2F", "/"), "file");
        gateway.on("GET " + FILES + "?path=" + path, exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
        });
    }

    private void archive(byte[] tar) {
        there("d", "/root/d", "directory");
        gateway.on("GET " + FILES + "/archive?path=%2Froot%2Fd", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(tar);
        });
    }

    private static byte[] tar(TarArchiveEntry... entries) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var tar = new TarArchiveOutputStream(bytes)) {
            for (var entry : entries) {
                boolean file = entry.isFile() && !entry.isSymbolicLink() && !entry.isLink();
                if (file && !entry.isCharacterDevice()) entry.setSize(4);
                tar.putArchiveEntry(entry);
                if (entry.getSize() > 0) tar.write("data".getBytes(UTF_8));
                tar.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    private static TarArchiveEntry entry(String name, int mode) {
        var entry = new TarArchiveEntry(name, true);
        entry.setMode(mode);
        return entry;
    }

    private static TarArchiveEntry link(String name, String target) {
        var entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
        entry.setLinkName(target);
        return entry;
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(work.resolve(name), text);
    }

    private List<String> inWork() throws IOException {
        try (var files = Files.list(work)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void a_file_is_sent_with_its_length() throws Exception {
        notThere("notes%2Fa.txt");
        gateway.on("PUT " + FILES + "?path=notes%2Fa.txt", 201, "{}");
        var done = hermit("sandbox", "cp", write("f", "hello").toString(), "default:notes/a.txt");
        assertThat(done.code()).as(done.err()).isEqualTo(0);
        Asked sent = gateway.last();
        assertThat(new String(sent.bytes(), UTF_8)).isEqualTo("hello");
        assertThat(sent.headers()).containsEntry("Content-length", "5");
        assertThat(done.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"directory, dir", "'', dir/"})
    void into_a_directory_a_file_keeps_its_name(String type, String target) throws Exception {
        String asked = target.replace("/", "%2F");
        if (type.isEmpty()) notThere(asked);
        else there(asked, "/root/dir", type);
        gateway.on("PUT " + FILES + "?path=dir%2Ff", 201, "{}");
        var done = hermit("sandbox", "cp", write("f", "x").toString(), "default:" + target);
        assertThat(done.code()).as(done.err()).isEqualTo(0);
    }

    @Test
    void a_link_to_a_directory_is_a_directory_and_one_to_a_file_is_none() throws Exception {
        there("l", "/root/l", "link");
        there("l%2F.", "/root/l/.", "directory");
        gateway.on("PUT " + FILES + "?path=l%2Ff", 201, "{}");
        assertThat(hermit("sandbox", "cp", write("f", "x").toString(), "default:l")
                        .code())
                .isEqualTo(0);
        gateway.problem("GET " + FILES + "/stat?path=l%2F.", 400, "invalid", "is not a directory");
        gateway.on("PUT " + FILES + "?path=l", 200, "{}");
        assertThat(hermit("sandbox", "cp", write("f", "x").toString(), "default:l")
                        .code())
                .isEqualTo(0);
        assertThat(gateway.last().path()).endsWith("?path=l");
    }

    @Test
    void stdin_becomes_a_file_and_a_file_goes_to_stdout() throws Exception {
        stdin = new byte[200_000];
        notThere("f");
        gateway.on("PUT " + FILES + "?path=f", 201, "{}");
        assertThat(hermit("sandbox", "cp", "-", "default:f").code()).isEqualTo(0);
        assertThat(gateway.last().bytes()).isEqualTo(stdin);
        file("f", new byte[] {0, 1, (byte) 0xff});
        there("f", "f", "file");
        var done = hermit("sandbox", "cp", "default:f", "-");
        assertThat(done.code()).as(done.err()).isEqualTo(0);
        assertThat(done.stdout().toByteArray()).containsExactly(0, 1, 0xff);
        assertThat(done.err()).isEmpty();
    }

    @Test
    void a_directory_is_sent_as_tar_with_links_as_links() throws Exception {
        Path tree = Files.createDirectories(work.resolve("tree/sub"));
        Files.writeString(tree.resolve("f"), "inside");
        Files.setPosixFilePermissions(tree.resolve("f"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.createSymbolicLink(tree.resolve("l"), Path.of("/etc/passwd"));
        notThere("t");
        gateway.on("POST " + FILES + "/mkdir", 200, "{}");
        gateway.on(
                "PUT " + FILES + "/archive?path=t",
                200,
                "{\"refused\":[{\"name\":\"sub/l\",\"reason\":\"link\"}],\"refused_count\":1}");
        var done = hermit("sandbox", "cp", work.resolve("tree").toString(), "default:t");
        assertThat(done.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(done.err()).contains("left out: sub/l (link)");
        var seen = new ArrayList<String>();
        try (var tar = new TarArchiveInputStream(
                new ByteArrayInputStream(gateway.last().bytes()))) {
            for (var each = tar.getNextEntry(); each != null; each = tar.getNextEntry()) {
                String content = each.isFile() && !each.isSymbolicLink() ? new String(tar.readAllBytes(), UTF_8) : "";
                seen.add("%s %o %s%s".formatted(each.getName(), each.getMode() & 0777, each.getLinkName(), content));
            }
        }
        assertThat(seen).hasSize(3).contains("sub/f 750 inside").anyMatch(each -> each.endsWith("/etc/passwd"));
    }

    @Test
    void a_download_replaces_what_was_there_when_it_is_whole() throws Exception {
        file("f", "new".getBytes(UTF_8));
        Path target = write("out", "old");
        var done = hermit("sandbox", "cp", "default:f", target.toString());
        assertThat(done.code()).as(done.err()).isEqualTo(0);
        assertThat(target).hasContent("new");
        assertThat(inWork()).containsExactly("out");
        assertThat(hermit("sandbox", "cp", "default:f", work.toString()).code()).isEqualTo(0);
        assertThat(work.resolve("f")).hasContent("new");
    }

    @Test
    void a_download_that_breaks_off_leaves_everything_as_it_was() throws Exception {
        there("f", "f", "file");
        gateway.on("GET " + FILES + "?path=f", exchange -> {
            exchange.sendResponseHeaders(200, 1_000);
            exchange.getResponseBody().write(new byte[10]);
            exchange.getResponseBody().flush();
        });
        Path target = write("out", "old");
        var done = hermit("sandbox", "cp", "default:f", target.toString());
        assertThat(done.code()).isEqualTo(ExitCode.UNREACHABLE);
        assertThat(done.err()).contains("ended after 10 bytes");
        assertThat(target).hasContent("old");
        assertThat(inWork()).containsExactly("out");
    }

    @Test
    void what_is_no_file_is_never_replaced_by_one() throws Exception {
        file("f", "new".getBytes(UTF_8));
        var done = hermit("sandbox", "cp", "default:f", "/dev/null");
        assertThat(done.code()).isEqualTo(ExitCode.LOCAL);
        assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    }

    @Test
    void a_tree_comes_with_its_modes_and_links() throws Exception {
        archive(tar(entry("d/", 0755), entry("d/sub/", 0500), entry("d/sub/f", 04751), link("d/sub/l", "../sub/f")));
        var done =
                hermit("sandbox", "cp", "--json", "default:d", work.resolve("t").toString());
        assertThat(done.code()).as(done.err()).isEqualTo(0);
        assertThat(done.json().path("files").asInt()).isEqualTo(2);
        Path file = work.resolve("t/sub/f");
        assertThat(file).hasContent("data");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rwxr-x--x");
        assertThat(Files.readSymbolicLink(work.resolve("t/sub/l"))).isEqualTo(Path.of("../sub/f"));
        assertThat(inWork()).containsExactly("t");
    }

    @Test
    void nothing_of_a_hostile_archive_gets_out_of_its_directory() throws Exception {
        var device = new TarArchiveEntry("d/dev", TarConstants.LF_CHR);
        var hard = new TarArchiveEntry("d/hard", TarConstants.LF_LINK);
        hard.setLinkName("/etc/passwd");
        archive(tar(
                entry("d/", 0755),
                entry("/abs", 0644),
                entry("d/../../up", 0644),
                link("d/out", "../.."),
                link("d/abs", "/etc"),
                link("d/deep/out", "x/../../.."),
                link("d/here", "."),
                entry("d/here/through", 0644),
                hard,
                device,
                entry("d/good", 0644)));
        var done =
                hermit("sandbox", "cp", "--json", "default:d", work.resolve("t").toString());
        assertThat(done.code()).isEqualTo(ExitCode.REFUSED);
        var reasons = new ArrayList<String>();
        done.json()
                .path("refused")
                .forEach(each -> reasons.add(each.path("reason").asText()));
        assertThat(reasons)
                .containsExactly("absolute", "parent", "link", "link", "link", "link", "hard_link", "device");
        assertThat(work.resolve("t/good")).hasContent("data");
        assertThat(inWork()).containsExactly("t");
        try (var files = Files.list(outer)) {
            assertThat(files).containsExactly(work);
        }
    }

    @Test
    void a_tree_that_breaks_off_leaves_nothing() throws Exception {
        byte[] tar = tar(entry("d/", 0755), entry("d/f", 0644));
        there("d", "/root/d", "directory");
        gateway.on("GET " + FILES + "/archive?path=%2Froot%2Fd", exchange -> {
            exchange.sendResponseHeaders(200, tar.length);
            exchange.getResponseBody().write(tar, 0, 1_030);
            exchange.getResponseBody().flush();
        });
        assertThat(hermit("sandbox", "cp", "default:d", work.resolve("t").toString())
                        .code())
                .isEqualTo(ExitCode.UNREACHABLE);
        assertThat(inWork()).isEmpty();
    }

    @Test
    void a_tree_is_merged_into_one_that_is_there_without_following_its_links() throws Exception {
        archive(tar(entry("d/", 0755), entry("d/f", 0644), entry("d/sub/", 0755), entry("d/sub/g", 0644)));
        Path there = Files.createDirectories(work.resolve("d"));
        Files.writeString(there.resolve("f"), "old");
        Files.writeString(there.resolve("mine"), "mine");
        assertThat(hermit("sandbox", "cp", "default:d", work.toString()).code()).isEqualTo(0);
        assertThat(there.resolve("f")).hasContent("data");
        assertThat(there.resolve("mine")).hasContent("mine");

        Settings.deleteTree(there.resolve("sub"));
        Path elsewhere = Files.createDirectory(outer.resolve("elsewhere"));
        Files.createSymbolicLink(there.resolve("sub"), elsewhere);
        assertThat(hermit("sandbox", "cp", "default:d", work.toString()).code()).isEqualTo(ExitCode.LOCAL);
        assertThat(elsewhere).isEmptyDirectory();
        assertThat(inWork()).containsExactly("d");
    }

    @Test
    void what_is_missing_is_told() {
        notThere("f");
        assertThat(hermit("sandbox", "cp", "default:f", work.toString()).code()).isEqualTo(ExitCode.REFUSED);
        assertThat(hermit("sandbox", "cp", work.resolve("nothing").toString(), "default:f")
                        .code())
                .isEqualTo(ExitCode.LOCAL);
        assertThat(hermit("sandbox", "cp", "nobody:f", work.toString()).code()).isEqualTo(ExitCode.REFUSED);
    }

    @ParameterizedTest
    @CsvSource({"a, b", "default:a, default:b", "-, -", "-, ./x:y"})
    void one_of_the_two_must_be_in_a_sandbox(String from, String to) {
        assertThat(hermit("sandbox", "cp", from, to).code()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void with_json_stdout_is_no_place_for_a_file() {
        var done = hermit("sandbox", "cp", "--json", "default:f", "-");
        assertThat(done.code()).isEqualTo(ExitCode.USAGE);
        assertThat(done.json().path("code").asText()).isEqualTo("usage");
    }

    @Test
    void sizes_are_read_by_people() {
        assertThat(TransferProgress.size(1023)).isEqualTo("1023 bytes");
        assertThat(TransferProgress.size(1536)).isEqualTo("1.5 KiB");
        assertThat(TransferProgress.size(5L << 30)).isEqualTo("5.0 GiB");
    }
}
