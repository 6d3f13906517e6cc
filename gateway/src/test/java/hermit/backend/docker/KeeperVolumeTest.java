package hermit.backend.docker;

import static hermit.exec.CommandBuilder.sh;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.HostConfig;
import hermit.exec.Progress;
import hermit.exec.Recording;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KeeperVolumeTest {
    private final TestDocker docker = new TestDocker();
    /// Another program than the real one, so that the volume is this test's own.
    private final byte[] program = keeperWith("\n# " + UUID.randomUUID());

    private final DockerSettings settings =
            docker.settings(docker.instance, DockerSettings.PullPolicy.NEVER, _ -> Optional.of(program));
    private final Docker parts = Docker.of(settings, docker.scheduler);

    @AfterEach
    void remove_everything() throws Exception {
        docker.removeContainers();
        parts.close();
        docker.removeKeeper(program);
        docker.close();
    }

    /// An ELF file may have anything at its end.
    static byte[] keeperWith(String suffix) {
        byte[] keeper = TestKeeper.PROGRAMS
                .forArchitecture(System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64")
                .orElseThrow();
        byte[] more = suffix.getBytes(StandardCharsets.UTF_8);
        byte[] all = Arrays.copyOf(keeper, keeper.length + more.length);
        System.arraycopy(more, 0, all, keeper.length, more.length);
        return all;
    }

    private void sandboxWorks() throws Exception {
        try (var provider = new DockerProvider(settings, docker.scheduler, new SecureRandom());
                var backend = provider.open(TestDocker.row(TestDocker.config(Map.of())))) {
            backend.ensure(Progress.NONE);
            var output = new Recording();
            backend.start(sh("echo works").build(), output).await();
            assertThat(output.stdout()).isEqualTo("works\n");
            backend.destroy();
        }
    }

    @Test
    void it_is_filled_once_and_named_by_what_it_holds() throws Exception {
        String name = parts.keeperVolume().provide(parts.keepers().program());
        assertThat(name)
                .isEqualTo("hermit-keeper-" + KeeperProgram.digest(program).substring(0, 16));
        sandboxWorks();
        assertThat(docker.containers()).isEmpty();
    }

    @Test
    void several_gateways_may_fill_it_at_once() throws Exception {
        List<Callable<String>> fillers = IntStream.range(0, 3)
                .<Callable<String>>mapToObj(_ -> () -> {
                    try (var other = Docker.of(settings, docker.scheduler)) {
                        return other.keeperVolume().provide(other.keepers().program());
                    }
                })
                .toList();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var each : threads.invokeAll(fillers))
                assertThat(each.get()).startsWith("hermit-keeper-"); // and not resultNow(), which hides why one failed
        }
        sandboxWorks();
    }

    /// What failed now and then: a gateway checked what it had written while another had removed it to write it anew.
    @Test
    void it_is_whole_at_every_moment_while_another_gateway_fills_it_late() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var line = new HeldEngine("^PUT .*/archive|^POST .*/containers/[0-9a-f]+/start");
                var late = Docker.of(TestDocker.at(line.endpoint(), settings), docker.scheduler)) {
            var filling = threads.submit(
                    () -> late.keeperVolume().provide(late.keepers().program()));
            line.awaitHeld(); // it has seen that nothing is there
            String name = parts.keeperVolume().provide(parts.keepers().program());
            line.sendPart();
            // A start takes the engine long enough to do what it does with half of a request.
            assertThat(exitCodeOfKeeperIn(name)).isZero();
            assertThat(content(name)).isEqualTo(program);
            line.sendRest();
            assertThat(filling.get()).isEqualTo(name);
            assertThat(content(name)).isEqualTo(program);
        }
        sandboxWorks();
    }

    @Test
    void a_gateway_whose_image_was_taken_for_an_old_one_loads_it_again() throws Exception {
        parts.keeperVolume().provide(parts.keepers().program());
        String image = "hermit-keeper:" + KeeperProgram.digest(program).substring(0, 16);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                var line = new HeldEngine("^POST .*/containers/create");
                var late = Docker.of(TestDocker.at(line.endpoint(), settings), docker.scheduler)) {
            var filling = threads.submit(
                    () -> late.keeperVolume().provide(late.keepers().program()));
            line.awaitHeld(); // it has seen that the image is there
            parts.images().removeUnused(image);
            assertThat(parts.images().has(image)).isFalse();
            line.sendRest();
            line.sendPart();
            filling.get();
            assertThat(parts.images().has(image)).isTrue();
        }
    }

    @Test
    void one_that_a_dying_gateway_had_half_filled_is_repaired() throws Exception {
        var keeper = parts.keepers().program();
        String name = parts.keeperVolume().provide(keeper);
        damage(name, Arrays.copyOf(program, program.length / 2));
        sandboxWorks();
    }

    @Test
    void one_that_was_emptied_while_we_ran_is_repaired_at_the_next_start() throws Exception {
        var provider = new DockerProvider(settings, docker.scheduler, new SecureRandom());
        try (provider;
                var backend = provider.open(TestDocker.row(TestDocker.config(Map.of())))) {
            backend.ensure(Progress.NONE);
            backend.destroy();
            docker.hand
                    .removeVolumeCmd(
                            "hermit-keeper-" + KeeperProgram.digest(program).substring(0, 16))
                    .exec();
            backend.ensure(Progress.NONE);
            var output = new Recording();
            backend.start(sh("echo works").build(), output).await();
            assertThat(output.stdout()).isEqualTo("works\n");
        }
    }

    private int exitCodeOfKeeperIn(String volume) throws Exception {
        String id = docker.hand
                .createContainerCmd(TestDocker.image())
                .withHostConfig(HostConfig.newHostConfig().withBinds(Bind.parse(volume + ":/opt/hermit")))
                .withCmd(KeeperVolume.PROGRAM, "version")
                .exec()
                .getId();
        try {
            docker.hand.startContainerCmd(id).exec();
            return parts.containers().awaitEnd(id, Engine.CHANGE);
        } finally {
            docker.hand.removeContainerCmd(id).withForce(true).exec();
        }
    }

    private byte[] content(String volume) throws Exception {
        String id = docker.hand
                .createContainerCmd(TestDocker.image())
                .withHostConfig(HostConfig.newHostConfig().withBinds(Bind.parse(volume + ":/opt/hermit")))
                .withCmd("true")
                .exec()
                .getId();
        try {
            return parts.archives()
                    .read(id, KeeperVolume.PROGRAM, program.length + 1)
                    .orElseThrow();
        } finally {
            docker.hand.removeContainerCmd(id).exec();
        }
    }

    private void damage(String volume, byte[] content) {
        String id = docker.hand
                .createContainerCmd(TestDocker.image())
                .withHostConfig(HostConfig.newHostConfig().withBinds(Bind.parse(volume + ":/opt/hermit")))
                .withCmd("true")
                .exec()
                .getId();
        docker.hand
                .copyArchiveToContainerCmd(id)
                .withRemotePath("/opt/hermit")
                .withTarInputStream(new ByteArrayInputStream(Tar.program("keeper", content)))
                .exec();
        docker.hand.removeContainerCmd(id).exec();
    }
}
