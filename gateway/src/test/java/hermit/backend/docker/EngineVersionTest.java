package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.backend.keeper.SystemScheduler;
import hermit.exec.BackendProvider.Health;
import hermit.exec.LiveState;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EngineVersionTest {
    private final SystemScheduler scheduler = new SystemScheduler(Clock.systemUTC());

    private DockerProvider provider(URI endpoint) {
        var settings = new DockerSettings(
                UUID.randomUUID(),
                endpoint,
                Optional.empty(),
                Optional.empty(),
                DockerSettings.PullPolicy.NEVER,
                hermit.exec.DockerConfig.Network.NONE,
                Optional.empty(),
                Path.of("/nowhere"),
                _ -> Optional.empty(),
                DockerSettings.DEFAULT_ORPHAN_GRACE);
        return new DockerProvider(settings, scheduler, new SecureRandom());
    }

    @Test
    void an_engine_that_refuses_less_than_1_44_is_spoken_to_in_1_44() throws Exception {
        try (var engine = new StubEngine("1.44", "1.52");
                var provider = provider(engine.endpoint())) {
            assertThat(provider.health()).isEqualTo(new Health(true, "Docker stub, API 1.44"));
            assertThat(provider.observeAll()).isEmpty();
            assertThat(engine.versions()).containsOnly("1.44");
        }
    }

    @Test
    void an_engine_that_only_knows_1_41_is_spoken_to_in_1_41() throws Exception {
        try (var engine = new StubEngine("1.12", "1.41");
                var provider = provider(engine.endpoint())) {
            assertThat(provider.health()).isEqualTo(new Health(true, "Docker stub, API 1.41"));
            assertThat(provider.observeAll()).isEmpty();
            assertThat(engine.versions()).containsOnly("1.41");
        }
    }

    @Test
    void an_engine_without_a_common_version_is_refused_with_both_ranges() throws Exception {
        try (var engine = new StubEngine("1.12", "1.40");
                var provider = provider(engine.endpoint())) {
            assertThatThrownBy(provider::observeAll)
                    .isInstanceOf(BackendUnavailable.class)
                    .hasMessageContaining("speaks API 1.12 to 1.40")
                    .hasMessageContaining("1.41 to 1.44");
            assertThat(provider.health().up()).isFalse();
            engine.speak("1.45", "1.60");
            assertThatThrownBy(provider::observeAll).hasMessageContaining("speaks API 1.45 to 1.60");
        }
    }

    @Test
    void the_version_is_agreed_on_again_when_the_engine_was_replaced() throws Exception {
        try (var engine = new StubEngine("1.12", "1.41");
                var provider = provider(engine.endpoint())) {
            assertThat(provider.health().detail()).endsWith("API 1.41");
            engine.speak("1.44", "1.52");
            assertThat(provider.health().detail()).endsWith("API 1.44");
            assertThat(provider.observeAll()).isEmpty();
        }
    }

    @Test
    void an_engine_that_is_down_is_never_taken_for_one_that_has_nothing() throws Exception {
        var engine = new StubEngine("1.12", "1.41");
        try (var provider = provider(engine.endpoint());
                var backend = provider.open(TestDocker.row(TestDocker.config(Map.of())))) {
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.ABSENT);
            engine.close();
            assertThatThrownBy(provider::observeAll)
                    .isInstanceOf(BackendUnavailable.class)
                    .hasMessageContaining("docker engine at " + engine.endpoint() + " cannot be reached");
            assertThatThrownBy(backend::shutdown).isInstanceOf(BackendUnavailable.class);
            assertThatThrownBy(backend::destroy).isInstanceOf(BackendUnavailable.class);
            assertThatThrownBy(() -> backend.ensure(hermit.exec.Progress.NONE)).isInstanceOf(BackendUnavailable.class);
            assertThat(backend.observe().state()).isEqualTo(LiveState.State.UNKNOWN);
            assertThat(backend.observe().detail()).contains("cannot be reached");
            assertThat(provider.health().up()).isFalse();
            try (var _ = engine.again()) {
                assertThat(provider.health().up()).isTrue();
                assertThat(backend.observe().state()).isEqualTo(LiveState.State.ABSENT);
            }
        }
    }

    @Test
    void a_socket_that_is_not_there_is_an_engine_that_is_down() throws Exception {
        try (var provider = provider(URI.create("unix:///no/such/docker.sock"))) {
            assertThatThrownBy(provider::observeAll)
                    .isInstanceOf(BackendUnavailable.class)
                    .hasMessageContaining("docker engine at unix:///no/such/docker.sock cannot be reached");
        }
    }

    @Test
    void what_the_engine_answers_becomes_one_of_our_problems() throws Exception {
        try (var engine = new StubEngine("1.12", "1.41");
                var provider = provider(engine.endpoint())) {
            engine.answerListings(500, "{\"message\":\"disk on fire\"}");
            assertThatThrownBy(provider::observeAll)
                    .isInstanceOf(ProviderError.class)
                    .hasMessage("list containers: disk on fire");
            engine.answerListings(400, "{\"message\":\"no such thing\"}");
            assertThatThrownBy(provider::observeAll)
                    .isInstanceOf(Unsupported.class)
                    .hasMessage("list containers: no such thing");
            engine.answerListings(200, "<html>");
            assertThatThrownBy(provider::observeAll)
                    .isInstanceOf(ProviderError.class)
                    .hasMessageContaining("cannot be read");
        }
    }

    @Test
    void an_interrupt_gives_up_a_look_at_once() throws Exception {
        try (var engine = new StubEngine("1.12", "1.41");
                var provider = provider(engine.endpoint())) {
            assertThat(provider.health().up()).isTrue();
            engine.hang();
            var thrown = new java.util.concurrent.CompletableFuture<Throwable>();
            var asking = Thread.ofVirtual().start(() -> {
                try {
                    provider.observeAll();
                } catch (InterruptedException | RuntimeException e) {
                    thrown.complete(e);
                }
            });
            engine.awaitHanging();
            asking.interrupt();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void tls_without_certificates_is_refused_rather_than_left_out() throws IOException {
        var settings = new DockerSettings(
                UUID.randomUUID(),
                URI.create("tcp://127.0.0.1:2376"),
                Optional.of(Path.of("/no/such/directory")),
                Optional.empty(),
                DockerSettings.PullPolicy.NEVER,
                hermit.exec.DockerConfig.Network.NONE,
                Optional.empty(),
                Path.of("/nowhere"),
                _ -> Optional.empty(),
                DockerSettings.DEFAULT_ORPHAN_GRACE);
        assertThatThrownBy(() -> new DockerProvider(settings, scheduler, new SecureRandom()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ca.pem");
    }
}
