package hermit.backend.docker;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.exception.NotFoundException;
import hermit.exec.CommandBuilder;
import hermit.exec.ExecBackend;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.problem.GatewayException.BackendUnavailable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An engine that is reached over TCP, so that none of its paths are ours.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DockerRemoteTest {
    private final TestDocker docker = new TestDocker();
    private final MachineSpec spec = TestDocker.row(TestDocker.config(Map.of("username", "1000")));

    @AfterEach
    void remove_everything() throws Exception {
        docker.close();
    }

    private DockerProvider provider(URI endpoint, Optional<Path> tls) {
        var local = docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER);
        var settings = new DockerSettings(
                local.instanceId(),
                endpoint,
                tls,
                Optional.empty(),
                local.pullPolicy(),
                local.network(),
                local.runtime(),
                local.workspaceRoot(),
                local.keeper(),
                local.orphanGrace());
        return new DockerProvider(settings, docker.scheduler, new SecureRandom());
    }

    private static String run(ExecBackend backend, CommandBuilder command) throws Exception {
        var output = new Recording();
        backend.start(command.build(), output).await();
        return output.stdout() + output.stderr();
    }

    @Test
    void a_workspace_is_a_volume_of_the_agent_and_outlives_the_container() throws Exception {
        String volume = "hermit-workspace-" + spec.agentUid();
        try (var engine = new TcpEngine(ServerSocketFactory.getDefault());
                var provider = provider(engine.endpoint(), Optional.empty());
                var backend = provider.open(spec)) {
            backend.ensure(Progress.NONE);
            assertThat(run(backend, sh("id -u; echo mine >~/file; stat -c %u ~")))
                    .isEqualTo("1000\n1000\n");
            backend.destroy();
            backend.ensure(Progress.NONE);
            assertThat(run(backend, sh("cat ~/file"))).isEqualTo("mine\n");
            assertThat(docker.root).doesNotExist();

            provider.sweep(Set.of(spec.sandboxId()), Set.of(spec.agentUid()));
            docker.clock.advance(DockerSettings.DEFAULT_ORPHAN_GRACE);
            provider.sweep(Set.of(spec.sandboxId()), Set.of(spec.agentUid()));
            assertThat(docker.hand.inspectVolumeCmd(volume).exec().getName()).isEqualTo(volume);

            backend.destroy();
            provider.agentDeleted(spec.agentUid());
            assertThatThrownBy(() -> docker.hand.inspectVolumeCmd(volume).exec())
                    .isInstanceOf(NotFoundException.class);
            provider.agentDeleted(spec.agentUid());
        }
    }

    @Test
    void a_volume_of_an_agent_that_is_gone_is_swept() throws Exception {
        try (var engine = new TcpEngine(ServerSocketFactory.getDefault());
                var provider = provider(engine.endpoint(), Optional.empty());
                var backend = provider.open(spec)) {
            backend.ensure(Progress.NONE);
            backend.destroy();
            provider.sweep(Set.of(), Set.of());
            docker.clock.advance(DockerSettings.DEFAULT_ORPHAN_GRACE);
            provider.sweep(Set.of(), Set.of());
            assertThatThrownBy(() -> docker.hand
                            .inspectVolumeCmd("hermit-workspace-" + spec.agentUid())
                            .exec())
                    .isInstanceOf(NotFoundException.class);
        }
    }

    @Test
    void commands_run_over_tls() throws Exception {
        var certificates = new TestCertificates(docker.scratch, "ip:127.0.0.1");
        var directory = certificates.writeTo(docker.scratch.resolve("tls"));
        try (var engine = new TcpEngine(certificates.sockets());
                var provider = provider(engine.endpoint(), Optional.of(directory));
                var backend = provider.open(spec)) {
            backend.ensure(Progress.NONE);
            assertThat(run(backend, sh("echo secret"))).isEqualTo("secret\n");
            assertThat(run(backend, sh("head -c 3000000 /dev/zero | tr '\\0' x")))
                    .hasSize(3_000_000);
        }
    }

    @Test
    void an_engine_with_another_ones_certificate_is_not_spoken_to() throws Exception {
        var certificates = new TestCertificates(docker.scratch, "dns:elsewhere.example");
        var directory = certificates.writeTo(docker.scratch.resolve("tls"));
        try (var engine = new TcpEngine(certificates.sockets());
                var provider = provider(engine.endpoint(), Optional.of(directory))) {
            assertThatThrownBy(provider::observeAll).isInstanceOf(BackendUnavailable.class);
            var socket = new EngineSocket(engine.endpoint(), Optional.of(directory), Duration.ofSeconds(5));
            assertThatThrownBy(socket::open).isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_client_without_the_key_is_refused() throws Exception {
        var certificates = new TestCertificates(docker.scratch, "ip:127.0.0.1");
        try (var engine = new TcpEngine(certificates.sockets());
                var provider = provider(engine.endpoint(), Optional.empty())) {
            assertThatThrownBy(provider::observeAll).isInstanceOf(BackendUnavailable.class);
        }
    }
}
