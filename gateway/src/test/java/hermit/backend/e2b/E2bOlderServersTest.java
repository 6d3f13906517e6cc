package hermit.backend.e2b;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.config.CloudSettings.E2bVersion;
import hermit.exec.ExecBackend;
import hermit.exec.Exit;
import hermit.exec.Progress;
import hermit.exec.Recording;
import hermit.fake.Fault;
import hermit.fake.e2b.E2bFake;
import hermit.problem.GatewayException.ProviderError;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A server of one's own: the older control plane, and a daemon that takes files as forms only.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS) // only so that a broken test ends
class E2bOlderServersTest {
    private static TestE2b e2b;
    private final QuickScheduler scheduler = new QuickScheduler();

    @BeforeAll
    static void start() {
        e2b = new TestE2b(
                E2bFake.Settings.of("hermit-base:bookworm").withoutV2().withEnvd("0.5.3"));
    }

    @AfterAll
    static void stop() {
        e2b.close();
    }

    @AfterEach
    void let_go() {
        scheduler.close();
        e2b.fake.journal().clear();
    }

    private ExecBackend open(Map<String, Object> config) {
        var settings = e2b.settings(e2b.settings.apiKey().map(key -> key.reveal()), Optional.of(E2bVersion.V1));
        return e2b.provider(settings, scheduler, TestE2b.SHORT).open(TestE2b.row(config));
    }

    @Test
    void sandboxes_are_made_paused_and_resumed_by_the_older_calls() throws Exception {
        try (var backend = open(Map.of())) {
            var machine = backend.ensure(Progress.NONE);
            assertThat(backend.start(sh("true").build(), new Recording())
                            .await()
                            .exit())
                    .isEqualTo(new Exit.Exited(0));
            var created = e2b.asked("POST", "/sandboxes").getFirst();
            assertThat(created.path()).isEqualTo("/sandboxes");
            assertThat(created.body()).contains("\"secure\":true").contains("\"timeout\":3600");
            assertThat(e2b.asked("POST", "/files"))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.headers().getOrDefault("content-type", ""))
                            .startsWith("multipart/form-data; boundary="));
            backend.shutdown();
            assertThat(backend.ensure(Progress.NONE).externalId()).isEqualTo(machine.externalId());
            assertThat(e2b.asked("POST", "/connect").getFirst().path())
                    .isEqualTo("/sandboxes/%s/connect".formatted(machine.externalId()));
            backend.destroy();
        }
    }

    @Test
    void a_server_that_has_no_newer_calls_makes_us_say_what_to_set() throws Exception {
        try (var backend = e2b.provider(e2b.settings, scheduler, TestE2b.SHORT).open(TestE2b.row(Map.of()))) {
            assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                    .isInstanceOf(ProviderError.class)
                    .hasMessageContaining("404")
                    .hasMessageContaining("E2B_API_VERSION=v1");
        }
    }

    @Test
    void a_sandbox_that_is_open_to_everybody_is_not_kept() throws Exception {
        e2b.fault(
                "create",
                1,
                new Fault.Kind.Answer(
                        201, Map.of(), "{\"sandboxID\":\"iopen\",\"templateID\":\"x\",\"envdVersion\":\"0.5.3\"}"));
        try (var backend = open(Map.of())) {
            assertThatThrownBy(() -> backend.ensure(Progress.NONE))
                    .isInstanceOf(ProviderError.class)
                    .hasMessageContaining("open to anyone");
        }
        assertThat(e2b.asked("DELETE", "/sandboxes/iopen")).hasSize(1);
    }

    @Test
    void one_that_may_be_open_is_asked_for_as_such() throws Exception {
        try (var backend = open(Map.of("secure", false))) {
            backend.ensure(Progress.NONE);
            assertThat(e2b.asked("POST", "/sandboxes").getFirst().body()).contains("\"secure\":false");
            backend.destroy();
        }
    }
}
