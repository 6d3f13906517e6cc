package hermit.backend.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.dockerjava.api.exception.NotFoundException;
import hermit.backend.docker.DockerSettings.PullPolicy;
import hermit.exec.Progress;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Unsupported;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Pulling, from a registry that runs in the test.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ImagesTest {
    private final TestDocker docker = new TestDocker();
    private final Engine engine = new Engine(docker.settings(docker.instance, PullPolicy.MISSING));
    private final Images images = new Images(engine, docker.clock);
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final StubRegistry registry = new StubRegistry(content());

    private static byte[] content() {
        byte[] bytes = new byte[3 << 20];
        new Random().nextBytes(bytes);
        return bytes;
    }

    @BeforeEach
    @AfterEach
    void forget_the_image() {
        for (String image : List.of(registry.image(), registry.digest())) {
            try {
                docker.hand.removeImageCmd(image).withForce(true).exec();
            } catch (NotFoundException _) {
                // Not every test has pulled it.
            }
        }
    }

    @AfterEach
    void remove_everything() throws Exception {
        registry.close();
        engine.close();
        docker.close();
    }

    @Test
    void a_missing_one_is_pulled_and_the_progress_is_told_in_percent() throws Exception {
        images.provide(registry.image(), PullPolicy.MISSING, lines::add);
        assertThat(images.has(registry.image())).isTrue();
        assertThat(lines).startsWith("pulling " + registry.image()).contains("pulling " + registry.image() + ": 100 %");
        assertThat(lines).doesNotHaveDuplicates();
    }

    @Test
    void one_that_is_there_is_only_pulled_if_it_must_always_be() throws Exception {
        images.provide(registry.image(), PullPolicy.MISSING, Progress.NONE);
        int asked = registry.requests().size();
        images.provide(registry.image(), PullPolicy.MISSING, Progress.NONE);
        images.provide(registry.image(), PullPolicy.NEVER, Progress.NONE);
        assertThat(registry.requests()).hasSize(asked);
        images.provide(registry.image(), PullPolicy.ALWAYS, Progress.NONE);
        assertThat(registry.requests()).hasSizeGreaterThan(asked);
    }

    @Test
    void never_means_that_the_registry_is_not_asked() throws Exception {
        assertThatThrownBy(() -> images.provide(registry.image(), PullPolicy.NEVER, Progress.NONE))
                .isInstanceOf(Unsupported.class)
                .hasMessageContaining(registry.image())
                .hasMessageContaining("hermit image build");
        assertThat(registry.requests()).isEmpty();
    }

    @Test
    void one_can_be_named_by_its_digest() throws Exception {
        images.provide(registry.digest(), PullPolicy.MISSING, Progress.NONE);
        assertThat(images.has(registry.digest())).isTrue();
    }

    @Test
    void one_that_does_not_exist_is_named() throws Exception {
        String image = registry.host() + "/no-such:thing";
        assertThatThrownBy(() -> images.provide(image, PullPolicy.MISSING, Progress.NONE))
                .isInstanceOf(Unsupported.class)
                .hasMessageContaining("pull image " + image);
    }

    @Test
    void a_registry_that_is_down_is_the_providers_error_and_the_image_is_named() throws Exception {
        registry.close();
        assertThatThrownBy(() -> images.provide(registry.image(), PullPolicy.MISSING, Progress.NONE))
                .isInstanceOf(ProviderError.class)
                .hasMessageContaining("pull image " + registry.image());
    }

    @Test
    void a_pull_can_be_interrupted() throws Exception {
        registry.hold();
        var thrown = new CompletableFuture<Throwable>();
        var pulling = Thread.ofVirtual().start(() -> {
            try {
                images.provide(registry.image(), PullPolicy.MISSING, Progress.NONE);
            } catch (InterruptedException | RuntimeException e) {
                thrown.complete(e);
            }
        });
        registry.awaitLayerAsked();
        pulling.interrupt();
        assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
        assertThat(images.has(registry.image())).isFalse();
    }
}
