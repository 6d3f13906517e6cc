package hermit.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.exec.FakeProvider;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import hermit.sandbox.Alias;
import hermit.sandbox.Backends;
import hermit.sandbox.Machines;
import hermit.sandbox.MemoryStores;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandbox;
import hermit.sandbox.Sandboxes;
import hermit.world.TestWorld;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SandboxFilesTest {
    private static final AgentId MAIN = new AgentId("main");
    private static final FileRange ALL = new FileRange.All();

    private final TestWorld time = new TestWorld();
    private final MemoryStores stores = new MemoryStores();
    private final FakeProvider docker = new FakeProvider(BackendType.DOCKER);
    private final Backends backends = new Backends(List.of(docker));
    private final Agents agents = new Agents(stores, time.world());
    private final Machines machines = new Machines(stores, backends, stores, new UUID(1, 1), time.world());
    private final Sandboxes sandboxes = new Sandboxes(agents, stores, backends, machines, time.world());
    private final SandboxFiles files = new SandboxFiles(sandboxes, machines, time.world());

    @BeforeEach
    void an_agent_with_a_docker_sandbox() {
        var presets = new Presets(
                List.of(new Preset("dev", BackendConfig.of(BackendType.DOCKER, Map.of(), ""))), Optional.of("dev"));
        new Provisioning(agents, stores, sandboxes, backends, presets, time.world())
                .create(Map.of("id", "main"), Optional.empty());
    }

    @AfterEach
    void stop() {
        machines.close();
    }

    private Sandbox row() {
        return sandboxes.get(MAIN, Alias.DEFAULT);
    }

    private void write(String path, String text) throws Exception {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        files.write(MAIN, Alias.DEFAULT, path, new ByteArrayInputStream(bytes), OptionalLong.of(bytes.length));
    }

    private FileDownload read(String path) throws Exception {
        return ((FileContent.Bytes) files.read(MAIN, Alias.DEFAULT, path, ALL)).download();
    }

    private static String next(FileDownload download) throws Exception {
        return new String(download.next().orElseThrow(), StandardCharsets.UTF_8);
    }

    private void awaitUnused() {
        while (machines.isBusy(row().id())) Thread.onSpinWait();
    }

    @Test
    void a_file_comes_back_as_it_was_written_and_then_nobody_uses_the_sandbox() throws Exception {
        write("a", "hello");
        try (var download = read("a")) {
            assertThat(download.length()).hasValue(5);
            assertThat(next(download)).isEqualTo("hello");
            assertThat(download.next()).isEmpty();
        }
        awaitUnused();
        assertThat(docker.isQuiet(row().id().value())).isTrue();
    }

    @Test
    void a_machine_that_has_gone_is_brought_up_again_first() throws Exception {
        write("a", "hello");
        docker.lose(row().id().value());
        assertThatThrownBy(() -> read("a")).isInstanceOf(NotFound.class);
        assertThat(docker.created).hasValue(2);
    }

    @Test
    void a_machine_that_is_lost_midway_is_an_error_and_not_an_end() throws Exception {
        write("a.lost", "0123456789");
        try (var download = read("a.lost")) {
            assertThat(next(download)).isEqualTo("012");
            assertThatThrownBy(download::next)
                    .isInstanceOf(BackendUnavailable.class)
                    .hasMessageContaining("a.lost");
        }
        awaitUnused();
    }

    @Test
    void a_file_that_became_shorter_is_an_error_and_not_an_end() throws Exception {
        write("a.short", "0123456789");
        try (var download = read("a.short")) {
            assertThat(next(download)).isEqualTo("012");
            assertThatThrownBy(download::next).isInstanceOf(ProviderError.class);
        }
    }

    @Test
    void who_stops_reading_ends_the_operation() throws Exception {
        write("a.hang", "0123456789");
        try (var download = read("a.hang")) {
            assertThat(next(download)).isEqualTo("012");
            assertThat(machines.isBusy(row().id())).isTrue();
        }
        awaitUnused();
        assertThat(docker.isQuiet(row().id().value())).isTrue();
    }

    @Test
    void a_sandbox_that_is_stopped_by_force_ends_the_operation() throws Exception {
        write("a.hang", "0123456789");
        try (var download = read("a.hang")) {
            next(download);
            sandboxes.stop(MAIN, Alias.DEFAULT, true);
            assertThatThrownBy(download::next).isInstanceOf(BackendUnavailable.class);
        }
        awaitUnused();
    }

    @Test
    void content_that_breaks_off_changes_nothing() throws Exception {
        write("a", "old");
        var broken = new SequenceInputStream(new ByteArrayInputStream(new byte[100_000]), new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the client is gone");
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                return read();
            }
        });
        assertThatThrownBy(() -> files.write(MAIN, Alias.DEFAULT, "a", broken, OptionalLong.empty()))
                .hasMessage("the client is gone");
        awaitUnused();
        assertThat(docker.isQuiet(row().id().value())).isTrue();
        try (var download = read("a")) {
            assertThat(next(download)).isEqualTo("old");
        }
    }

    @Test
    void content_of_another_length_than_announced_changes_nothing() throws Exception {
        write("a", "old");
        var content = new ByteArrayInputStream(new byte[3]);
        assertThatThrownBy(() -> files.write(MAIN, Alias.DEFAULT, "a", content, OptionalLong.of(4)))
                .isInstanceOf(ProviderError.class);
        try (var download = read("a")) {
            assertThat(next(download)).isEqualTo("old");
        }
    }

    @Test
    void a_backend_that_gives_no_access_is_unsupported_and_starts_nothing() {
        docker.capabilities = Set.of(Capability.STDIN);
        assertThatThrownBy(() -> files.stat(MAIN, Alias.DEFAULT, "a")).isInstanceOf(Unsupported.class);
        assertThat(docker.ensures).hasValue(0);
    }
}
