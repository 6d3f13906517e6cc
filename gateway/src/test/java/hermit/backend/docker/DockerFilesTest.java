package hermit.backend.docker;

import static hermit.backend.docker.DockerHouse.MAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.command.FileContent;
import hermit.command.FileInfo;
import hermit.command.FileRange;
import hermit.command.SandboxFiles.RefusedEntry;
import hermit.exec.BackendConfig;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.Refused;
import hermit.sandbox.Alias;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files in a real container: exact, whole or not at all, and never out of it.
@DisplayNameGeneration(ReplaceUnderscores.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DockerFilesTest {
    private static final FileRange ALL = new FileRange.All();

    private DockerHouse house;

    @BeforeAll
    void an_agent_with_two_rows_that_have_no_machine_yet() throws Exception {
        house = new DockerHouse(config(Map.of()));
        house.sandboxes.add(MAIN, new Alias("user"), config(Map.of("username", "1000", "agent_home", "/home/ada")));
        // K2: the first call of all is a file call.
        assertThatThrownBy(() -> house.files.stat(MAIN, Alias.DEFAULT, "nothing"))
                .isInstanceOf(NotFound.class);
    }

    @AfterAll
    void remove_everything() throws Exception {
        house.close();
    }

    private static BackendConfig config(Map<String, Object> more) {
        return TestDocker.config(more);
    }

    private String sh(Alias alias, String command) throws Exception {
        var exec = house.start(alias, command);
        exec.awaitEnd();
        return new String(house.commands.answer(exec).stdout().bytes(), StandardCharsets.UTF_8).strip();
    }

    private String sh(String command) throws Exception {
        return sh(Alias.DEFAULT, command);
    }

    private FileInfo write(String path, byte[] bytes) throws Exception {
        return house.files
                .write(MAIN, Alias.DEFAULT, path, new ByteArrayInputStream(bytes), OptionalLong.of(bytes.length))
                .info();
    }

    private byte[] read(String path, FileRange range) throws Exception {
        var content = (FileContent.Bytes) house.files.read(MAIN, Alias.DEFAULT, path, range);
        var bytes = new ByteArrayOutputStream();
        try (var download = content.download()) {
            for (var piece = download.next(); piece.isPresent(); piece = download.next()) bytes.writeBytes(piece.get());
        }
        return bytes.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 17 << 10, 19 << 10, 1 << 20, 5 << 20, 50 << 20})
    void bytes_come_back_exactly_and_at_once(int size) throws Exception {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        assertThat(write("exact", content).size()).isEqualTo(size);
        assertThat(read("exact", ALL)).isEqualTo(content);
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        assertThat(sh("sha256sum ~/exact")).startsWith(digest);
    }

    @Test
    void a_file_of_root_in_the_sandbox_is_edited_and_removed() throws Exception {
        sh("mkdir -p ~/e1/d/e; echo old > ~/e1/f; chmod 600 ~/e1/f");
        write("e1/f", bytes("new"));
        assertThat(sh("cat ~/e1/f; stat -c %a ~/e1/f")).isEqualTo("new600");
        house.files.delete(MAIN, Alias.DEFAULT, "e1", true);
        assertThat(sh("ls -d ~/e1 2>&1 || echo gone")).contains("gone");
    }

    @Test
    void a_user_who_is_not_root_owns_what_is_written_and_may_not_write_elsewhere() throws Exception {
        var user = new Alias("user");
        var content = new ByteArrayInputStream(bytes("mine"));
        var written = house.files
                .write(MAIN, user, "mine", content, OptionalLong.of(4))
                .info();
        assertThat(written.path()).isEqualTo("/home/ada/mine");
        assertThat(written.uid()).isEqualTo(1000);
        assertThat(sh(user, "cat mine; echo y > mine; cat mine")).isEqualTo("miney");
        assertThatThrownBy(() -> house.files.write(
                        MAIN, user, "/etc/mine", new ByteArrayInputStream(bytes("x")), OptionalLong.empty()))
                .isInstanceOf(Forbidden.class);
        assertThatThrownBy(() -> house.files.read(MAIN, user, "/etc/shadow", ALL))
                .isInstanceOf(Forbidden.class);
    }

    @Test
    void links_lead_to_the_sandboxs_own_files_and_never_to_the_hosts() throws Exception {
        sh("echo the-guest > /etc/hermit-test; ln -sfn /etc/hermit-test ~/p; ln -sfn / ~/r");
        assertThat(new String(read("p", ALL), StandardCharsets.UTF_8)).isEqualTo("the-guest\n");
        assertThat(new String(read("r/etc/hermit-test", ALL), StandardCharsets.UTF_8))
                .isEqualTo("the-guest\n");
        String host = Files.readString(Path.of("/etc/hostname"));
        assertThat(new String(read("r/etc/hostname", ALL), StandardCharsets.UTF_8))
                .isNotEqualTo(host);
        assertThat(house.files.stat(MAIN, Alias.DEFAULT, "p").target()).contains("/etc/hermit-test");
    }

    @Test
    void a_write_replaces_a_link_and_nothing_outside_changes() throws Exception {
        sh("mkdir -p /tmp/outside; rm -rf /tmp/outside/*; ln -sfn /tmp/outside/new ~/dangling");
        sh("echo safe > /tmp/outside/there; ln -sfn /tmp/outside/there ~/pointing");
        write("dangling", bytes("x"));
        write("pointing", bytes("x"));
        assertThat(sh("ls /tmp/outside; cat /tmp/outside/there")).isEqualTo("there\nsafe");
        assertThat(house.files.stat(MAIN, Alias.DEFAULT, "dangling").type()).isEqualTo(FileInfo.Type.FILE);
        house.files.delete(MAIN, Alias.DEFAULT, "dangling", false);
    }

    /// The directory that an archive goes into is swapped for a link, again and again: bounded by rounds, not by time.
    @Test
    void a_swap_race_never_writes_through_a_link() throws Exception {
        sh("rm -rf ~/race /tmp/prey; mkdir -p ~/race/d /tmp/prey");
        var racer = house.start(
                Alias.DEFAULT, "cd ~/race && while :; do mv d e; ln -s /tmp/prey d; rm d; mv e d; done 2>/dev/null");
        var entries = new TarArchiveEntry[30];
        for (int i = 0; i < entries.length; i++) entries[i] = new TarArchiveEntry("d/f" + i);
        byte[] archive = tar(entries);
        for (int round = 0; round < 60; round++)
            house.files.unpack(MAIN, Alias.DEFAULT, "race", new ByteArrayInputStream(archive));
        house.commands.cancel(MAIN, Alias.DEFAULT, racer.id().toString());
        racer.awaitEnd();
        assertThat(sh("ls /tmp/prey")).isEmpty();
    }

    @Test
    void a_huge_sparse_file_is_listed_and_read_from_any_place() throws Exception {
        sh("truncate -s 3G ~/huge; printf end | dd of=$HOME/huge bs=1 seek=$((3*1024*1024*1024-3)) conv=notrunc"
                + " 2>/dev/null");
        assertThat(read("huge", new FileRange.Between(0, 4))).isEqualTo(new byte[5]);
        assertThat(read("huge", new FileRange.Last(3))).isEqualTo(bytes("end"));
        var listed = house.files
                .list(MAIN, Alias.DEFAULT, ".", PageRequest.first(200))
                .items();
        assertThat(listed).anyMatch(each -> each.name().equals("huge") && each.size() == 3L << 30);
        var content = (FileContent.Bytes)
                house.files.read(MAIN, Alias.DEFAULT, "huge", new FileRange.Between(1L << 30, (5L << 28) - 1));
        long count = 0;
        try (var download = content.download()) {
            for (var piece = download.next(); piece.isPresent(); piece = download.next()) count += piece.get().length;
        }
        assertThat(count).isEqualTo(1L << 28);
        house.files.delete(MAIN, Alias.DEFAULT, "huge", false);
    }

    @Test
    void an_overwrite_that_breaks_off_leaves_the_old_content_and_nothing_else() throws Exception {
        write("atomic/f", bytes("old"));
        InputStream broken = new InputStream() {
            private int left = 300_000;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                left -= length;
                if (left < 0) throw new IOException("cut");
                return length;
            }
        };
        assertThatThrownBy(() -> house.files.write(MAIN, Alias.DEFAULT, "atomic/f", broken, OptionalLong.of(1 << 20)))
                .hasMessage("cut");
        while (house.machines.isBusy(house.sandboxes.get(MAIN, Alias.DEFAULT).id())) Thread.onSpinWait();
        assertThat(sh("cat ~/atomic/f; ls -A ~/atomic")).isEqualTo("oldf");
    }

    @Test
    void an_overwrite_whose_process_is_killed_leaves_the_old_content() throws Exception {
        write("killed/f", bytes("old"));
        InputStream killing = new InputStream() {
            private long sent;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                sent += length;
                if (sent > 4 << 20) kill();
                return length;
            }

            private void kill() throws IOException {
                try {
                    sh("for p in /proc/[0-9]*; do case $(tr '\\0' ' ' <$p/cmdline 2>/dev/null) in"
                            + " *'fs write'*) kill -9 ${p#/proc/};; esac; done");
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        };
        assertThatThrownBy(() -> house.files.write(MAIN, Alias.DEFAULT, "killed/f", killing, OptionalLong.of(1L << 40)))
                .hasMessageContaining("killed/f");
        assertThat(sh("cat ~/killed/f")).isEqualTo("old");
    }

    @Test
    void an_archive_goes_up_and_comes_down_without_what_could_do_harm() throws Exception {
        sh("rm -rf ~/up; mkdir ~/up; ln -s /tmp ~/up/away");
        var device = new TarArchiveEntry("dev", TarConstants.LF_CHR);
        var hard = new TarArchiveEntry("hard", TarConstants.LF_LINK);
        hard.setLinkName("/etc/passwd");
        var setId = new TarArchiveEntry("suid");
        setId.setMode(04755);
        byte[] archive = tar(
                new TarArchiveEntry("../x"),
                new TarArchiveEntry("/abs", true),
                link("out", "/etc"),
                link("climb", "../.."),
                link("fine", "good"),
                new TarArchiveEntry("away/through"),
                device,
                hard,
                setId,
                new TarArchiveEntry("sub/ü-" + "n".repeat(150)),
                new TarArchiveEntry("good"));
        var unpacked = house.files.unpack(MAIN, Alias.DEFAULT, "up", new ByteArrayInputStream(archive));
        assertThat(unpacked.refused())
                .containsExactly(
                        new RefusedEntry("../x", "parent"),
                        new RefusedEntry("/abs", "absolute"),
                        new RefusedEntry("out", "link"),
                        new RefusedEntry("climb", "link"),
                        new RefusedEntry("away/through", "link"),
                        new RefusedEntry("dev", "device"),
                        new RefusedEntry("hard", "hard_link"),
                        new RefusedEntry("suid", "set_id"));
        assertThat(unpacked.count()).isEqualTo(8);
        assertThat(sh("cd ~/up; cat good; readlink fine; ls sub | wc -c; ls /tmp/through 2>&1 || echo none"))
                .startsWith("data")
                .contains("good")
                .endsWith("none");
        try (var download = house.files.pack(MAIN, Alias.DEFAULT, "up")) {
            var tar = new ByteArrayOutputStream();
            for (var piece = download.next(); piece.isPresent(); piece = download.next()) tar.writeBytes(piece.get());
            var names = new ArrayList<String>();
            try (var in = new TarArchiveInputStream(new ByteArrayInputStream(tar.toByteArray()), "UTF-8")) {
                for (var each = in.getNextEntry(); each != null; each = in.getNextEntry()) names.add(each.getName());
            }
            assertThat(names).contains("up/", "up/good", "up/fine", "up/sub/ü-" + "n".repeat(150));
        }
    }

    @Test
    void a_bomb_ends_at_the_limit_before_it_has_been_sent() throws Exception {
        sh("rm -rf ~/bomb; mkdir ~/bomb");
        var header = new ByteArrayOutputStream();
        var entry = new TarArchiveEntry("zeros");
        entry.setSize(10L << 30);
        var tar = new TarArchiveOutputStream(header);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.putArchiveEntry(entry);
        tar.flush();
        InputStream endless =
                new SequenceInputStream(new ByteArrayInputStream(header.toByteArray()), new InputStream() {
                    @Override
                    public int read() {
                        return 0;
                    }

                    @Override
                    public int read(byte[] to, int offset, int length) {
                        return length;
                    }
                });
        assertThatThrownBy(() -> house.files.unpack(MAIN, Alias.DEFAULT, "bomb", endless))
                .isInstanceOf(Refused.class);
        assertThat(sh("ls ~/bomb")).isEmpty();
    }

    @Test
    void a_file_that_is_no_archive_and_one_that_is_cut_off_are_mistakes_of_the_caller() throws Exception {
        sh("mkdir -p ~/cut");
        byte[] archive = tar(new TarArchiveEntry("a"));
        for (byte[] each : List.of(new byte[0], bytes("no archive"), Arrays.copyOf(archive, 700)))
            assertThatThrownBy(() -> house.files.unpack(MAIN, Alias.DEFAULT, "cut", new ByteArrayInputStream(each)))
                    .isInstanceOf(Invalid.class);
    }

    @Test
    void files_of_proc_are_read_to_their_end() throws Exception {
        assertThat(new String(read("/proc/version", ALL), StandardCharsets.UTF_8))
                .startsWith("Linux");
        assertThatThrownBy(() -> read("/dev/zero", ALL)).isInstanceOf(Invalid.class);
    }

    private static TarArchiveEntry link(String name, String target) {
        var entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
        entry.setLinkName(target);
        return entry;
    }

    private static byte[] tar(TarArchiveEntry... entries) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var tar = new TarArchiveOutputStream(bytes, "UTF-8")) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setAddPaxHeadersForNonAsciiNames(true);
            for (var entry : entries) {
                boolean file = !entry.isSymbolicLink() && !entry.isLink() && !entry.isCharacterDevice();
                if (file) entry.setSize(4);
                tar.putArchiveEntry(entry);
                if (file) tar.write(bytes("data"));
                tar.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }
}
