package hermit.backend.docker;

import static hermit.backend.docker.DockerHouse.MAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.command.EndReason;
import hermit.command.ExecRecord;
import hermit.exec.CommandBuilder;
import hermit.exec.Exit;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Refused;
import hermit.problem.GatewayException.Unsupported;
import hermit.sandbox.Alias;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// S-09: a workspace with a limit, in a real container.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DockerDiskTest {
    private static final int LIMIT = 8 << 20;
    private static final String FILL =
            "i=0; while [ $i -lt 12 ]; do head -c 1048576 /dev/urandom > f$i; i=$((i+1)); done; sleep 300";

    private DockerHouse house;

    @BeforeEach
    void a_row_that_may_hold_8_MiB() throws Exception {
        house = new DockerHouse(TestDocker.config(Map.of("disk_limit", "8m")));
    }

    @AfterEach
    void remove_everything() throws Exception {
        house.close();
    }

    private ExecRecord sh(String command) throws Exception {
        return house.start(Alias.DEFAULT, command).awaitEnd();
    }

    private static EndReason reason(ExecRecord record) {
        return record.outcome().orElseThrow().reason();
    }

    private void upload(String path, int size) throws Exception {
        house.files.write(MAIN, Alias.DEFAULT, path, new ByteArrayInputStream(new byte[size]), OptionalLong.of(size));
    }

    private List<String> names() throws Exception {
        return house.files.list(MAIN, Alias.DEFAULT, ".", new PageRequest(Optional.empty(), 100)).items().stream()
                .map(each -> each.name())
                .toList();
    }

    @Test
    void a_file_that_outgrows_the_limit_ends_its_writer_with_a_note() throws Exception {
        var ended = sh("exec dd if=/dev/zero of=big bs=1M count=20");
        assertThat(reason(ended)).isEqualTo(EndReason.SIGNALED);
        assertThat(ended.outcome().orElseThrow().exitCode()).contains(128 + 25);
        assertThat(ended.notes()).singleElement().asString().contains("disk_limit of 8m");
        assertThat(sh("test $(stat -c %s big) -le " + LIMIT)
                        .outcome()
                        .orElseThrow()
                        .exitCode())
                .contains(0);
    }

    @Test
    void whoever_fills_it_with_many_files_is_ended_and_room_can_be_made() throws Exception {
        var ended = sh(FILL);
        assertThat(reason(ended)).isEqualTo(EndReason.SIGNALED);
        assertThat(ended.outcome().orElseThrow().signal()).contains(15);
        assertThat(ended.notes()).singleElement().asString().contains("more than its disk_limit of 8m");

        var growing = sh("echo more > more");
        assertThat(growing.outcome().orElseThrow().exitCode()).isNotEqualTo(Optional.of(0));
        assertThat(growing.notes()).singleElement().asString().contains("could remove files, but none could grow");
        assertThatThrownBy(() -> upload("up", 10)).isInstanceOf(Refused.class).hasMessageContaining("disk_limit of 8m");

        var removing = sh("rm f0 f1 f2 f3 f4 f5");
        assertThat(removing.outcome().orElseThrow().exitCode()).contains(0);
        // Measured again a moment later, beside a command that waits for it.
        ExecRecord last;
        do last = sh("echo more > more");
        while (last.notes().stream().anyMatch(note -> note.contains("none could grow")));
        assertThat(last.outcome().orElseThrow().exitCode()).contains(0);
        upload("up", 10);
    }

    @Test
    void a_file_that_does_not_fit_is_refused_and_leaves_the_old_one() throws Exception {
        upload("f", 10);
        assertThatThrownBy(() -> upload("f", LIMIT + 1))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("disk_limit is 8m");
        assertThatThrownBy(() -> house.files.write(
                        MAIN, Alias.DEFAULT, "f", new ByteArrayInputStream(new byte[LIMIT + 1]), OptionalLong.empty()))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("disk_limit is 8m");
        assertThat(names()).containsExactly("f");
        assertThat(house.files.stat(MAIN, Alias.DEFAULT, "f").size()).isEqualTo(10);
    }

    @Test
    void an_archive_that_does_not_fit_leaves_whole_files_only() throws Exception {
        var archive = new ByteArrayInputStream(tar("a", "b", "c"));
        assertThatThrownBy(() -> house.files.unpack(MAIN, Alias.DEFAULT, ".", archive))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("disk_limit is 8m");
        assertThat(names()).containsExactly("a", "b");
    }

    private static byte[] tar(String... names) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var tar = new TarArchiveOutputStream(bytes)) {
            for (String name : names) {
                var entry = new TarArchiveEntry(name);
                entry.setSize(3 << 20);
                tar.putArchiveEntry(entry);
                tar.write(new byte[3 << 20]);
                tar.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void a_limit_on_the_rest_is_enforced_by_the_engine_or_refused_by_name() throws Exception {
        try (var layered = house.docker.open(TestDocker.row(TestDocker.config(Map.of("rootfs_limit", "64m"))))) {
            layered.ensure(Progress.NONE);
            var output = new Recording();
            var end = layered.start(
                            CommandBuilder.sh("head -c 100000000 /dev/zero > /var/full")
                                    .build(),
                            output)
                    .await();
            assertThat(end.exit()).isNotEqualTo(new Exit.Exited(0));
        } catch (Unsupported e) {
            assertThat(e).hasMessageContaining("rootfs_limit");
            assertThat(house.docker.containers()).isEmpty();
        }
    }
}
