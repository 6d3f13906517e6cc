package hermit.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import hermit.exec.DaytonaConfig.Source;
import hermit.exec.LifecycleSettings.Stop;
import hermit.problem.FieldError;
import hermit.problem.GatewayException.Invalid;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class BackendConfigTest {
    @Test
    void a_silent_docker_config_takes_the_defaults() {
        var config = (DockerConfig) BackendConfig.of(BackendType.DOCKER, Map.of(), "config");
        assertThat(config.image()).isEqualTo("ubuntu:24.04");
        assertThat(config.username()).isEqualTo("root");
        assertThat(config.agentHome()).isEqualTo("/root");
        assertThat(config.memoryLimit()).hasToString("2g");
        assertThat(config.diskLimit()).hasToString("8g");
        assertThat(config.rootfsLimit()).isEmpty();
        assertThat(config.pidsLimit()).isEqualTo(512);
        assertThat(config.readOnlyRootfs()).isFalse();
        assertThat(config.given()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lots", "0", "-1", "4k", "", "1.5g", "9999999999999999999g", "2gb", "0x10m"})
    void an_impossible_memory_limit_is_refused(String limit) {
        assertThat(mistakes(BackendType.DOCKER, Map.of("memory_limit", limit)))
                .extracting(FieldError::path)
                .containsExactly("config.memory_limit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk_limit", "rootfs_limit"})
    void a_limit_on_the_disk_is_an_amount(String key) {
        for (String impossible : List.of("lots", "0", "-1", "4095k", "", "1.5g", "16385g"))
            assertThat(mistakes(BackendType.DOCKER, Map.of(key, impossible)))
                    .extracting(FieldError::path)
                    .containsExactly("config." + key);
        for (String amount : List.of("4m", "20G", "16384g", "8388608"))
            assertThat(BackendConfig.of(BackendType.DOCKER, Map.of(key, amount), "config"))
                    .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"64m", "2g", "2G", "1048576k", "67108864"})
    void a_memory_limit_is_an_amount(String limit) {
        assertThat(BackendConfig.of(BackendType.DOCKER, Map.of("memory_limit", limit), "config"))
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--privileged",
                "ubuntu\n--privileged",
                "ubuntu --privileged",
                "",
                "UBUNTU",
                "../etc",
                "a//b",
                "ubuntu:",
                "-x",
                "ubuntu@sha256:12",
                "ubuntu;rm -rf /",
                "$(id)"
            })
    void an_image_is_a_reference_and_nothing_else(String image) {
        assertThat(mistakes(BackendType.DOCKER, Map.of("image", image)))
                .extracting(FieldError::path)
                .containsExactly("config.image");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ubuntu",
                "ubuntu:24.04",
                "localhost:5000/team/image:v1",
                "ghcr.io/a/b_c@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
            })
    void an_image_may_come_from_any_registry(String image) {
        assertThat(BackendConfig.of(BackendType.DOCKER, Map.of("image", image), "config"))
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"root --privileged", "root\n", "", "-u", "Root", "1:2:3", "a b", "99999999999"})
    void a_user_is_a_name_or_a_number(String user) {
        assertThat(mistakes(BackendType.DOCKER, Map.of("username", user)))
                .extracting(FieldError::path)
                .containsExactly("config.username");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/proc/self/fd/7",
                "/proc",
                "/sys/x",
                "/dev/shm",
                "relative",
                "/",
                "/etc",
                "/a/../etc",
                "/a/./b",
                "/a:b",
                "/a/",
                "",
                "/run/hermit",
                "/x\ny",
                "/opt/hermit/x"
            })
    void a_home_lies_nowhere_near_the_kernel_or_the_system(String home) {
        for (BackendType type : List.of(BackendType.DOCKER, BackendType.E2B, BackendType.TENKI))
            assertThat(mistakes(type, Map.of("agent_home", home)))
                    .extracting(FieldError::path)
                    .containsExactly("config.agent_home");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "binds",
                "privileged",
                "security_opt",
                "devices",
                "cap_add",
                "pid_mode",
                "ipc",
                "volumes",
                "template",
                "snapshot",
                "memory_swap",
                "user"
            })
    void a_docker_config_is_closed(String key) {
        assertThat(mistakes(BackendType.DOCKER, Map.of(key, true)))
                .singleElement()
                .satisfies(error -> {
                    assertThat(error.path()).isEqualTo("config." + key);
                    assertThat(error.message()).startsWith("unknown field");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "container:x", "bridge", "NONE", ""})
    void a_network_is_one_of_three(String network) {
        assertThat(mistakes(BackendType.DOCKER, Map.of("network", network)))
                .extracting(FieldError::path)
                .containsExactly("config.network");
    }

    @Test
    void numbers_that_are_none_are_refused() {
        Map<String, Object> config =
                Map.of("cpu_shares", "x", "pids_limit", 1.5, "cpus", "two", "read_only_rootfs", "yes", "timeout_ms", 0);
        assertThat(mistakes(BackendType.DOCKER, config))
                .extracting(FieldError::path)
                .containsExactlyInAnyOrder(
                        "config.cpu_shares",
                        "config.pids_limit",
                        "config.cpus",
                        "config.read_only_rootfs",
                        "config.timeout_ms");
    }

    @Test
    void a_null_value_is_a_mistake_and_not_a_crash() {
        for (BackendType type : BackendType.values()) {
            Map<String, Object> config = Collections.singletonMap("env", null);
            assertThat(mistakes(type, config)).extracting(FieldError::path).containsExactly("config.env");
        }
    }

    @Test
    void daytona_takes_a_snapshot_or_an_image() {
        assertThat(mistakes(BackendType.DAYTONA, Map.of("snapshot", "s", "image", "ubuntu:24.04")))
                .extracting(FieldError::path)
                .containsExactly("config.snapshot");
        assertThat(mistakes(BackendType.DAYTONA, Map.of("snapshot", "s", "resources", Map.of("cpu", 2))))
                .extracting(FieldError::path)
                .containsExactly("config.resources");
        assertThat(((DaytonaConfig) BackendConfig.of(BackendType.DAYTONA, Map.of(), "config")).source())
                .isEqualTo(new Source.ProviderDefault());
    }

    @Test
    void every_type_takes_a_lifecycle_block() {
        for (BackendType type : BackendType.values()) {
            var config = BackendConfig.of(
                    type, Map.of("lifecycle", Map.of("stop", "session", "idle_timeout_minutes", 1)), "config");
            assertThat(config.lifecycle().stop()).contains(Stop.SESSION);
            assertThat(config.lifecycle().idleTimeoutMinutes()).contains(1);
            assertThat(mistakes(type, Map.of("lifecycle", Map.of("stop", "never", "idle", 1))))
                    .extracting(FieldError::path)
                    .containsExactlyInAnyOrder("config.lifecycle.stop", "config.lifecycle.idle");
        }
    }

    @Test
    void the_examples_of_the_specification_are_accepted() {
        BackendConfig.of(
                BackendType.DOCKER,
                Map.of("image", "ubuntu:24.04", "username", "root", "agent_home", "/root"),
                "config");
        BackendConfig.of(
                BackendType.E2B,
                Map.of(
                        "template",
                        "base",
                        "username",
                        "user",
                        "agent_home",
                        "/home/user",
                        "sandbox_timeout_ms",
                        3_600_000),
                "config");
        BackendConfig.of(
                BackendType.DAYTONA,
                Map.of("image", "ubuntu:24.04", "username", "daytona", "agent_home", "/home/daytona"),
                "config");
        BackendConfig.of(BackendType.TENKI, Map.of("timeout_ms", 300_000), "config");
    }

    private static List<FieldError> mistakes(BackendType type, Map<String, Object> config) {
        Invalid thrown = catchThrowableOfType(Invalid.class, () -> BackendConfig.of(type, config, "config"));
        assertThat(thrown).describedAs("%s should refuse %s", type, config).isNotNull();
        return thrown.errors();
    }
}
