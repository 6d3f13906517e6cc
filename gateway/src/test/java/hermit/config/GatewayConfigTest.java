package hermit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import hermit.command.ExecLimits;
import hermit.exec.BackendType;
import hermit.exec.DockerConfig;
import hermit.problem.FieldError;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Preset;
import hermit.turn.TurnLimits;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class GatewayConfigTest {
    private static final String TOKEN = "an-operators-own-token";

    @TempDir
    Path directory;

    private Path home;

    @BeforeEach
    void set_up() {
        home = directory.resolve("home");
    }

    @Test
    void a_first_start_makes_a_home_that_nobody_else_can_read() throws Exception {
        var config = GatewayConfig.load(home, Map.of());

        assertThat(mode(home)).isEqualTo("rwx------");
        for (String file : List.of("gateway.json", "admin-token", "instance-id"))
            assertThat(mode(home.resolve(file))).as(file).isEqualTo("rw-------");
        try (var files = Files.list(home)) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("gateway.json", "admin-token", "instance-id");
        }
        assertThat(config.server().host()).isEqualTo("127.0.0.1");
        assertThat(config.server().port()).isEqualTo(4000);
        assertThat(config.presets().auto()).contains(config.presets().get("docker-ubuntu", ""));
        assertThat(config.presets().get("docker-ubuntu", "").config())
                .isInstanceOfSatisfying(
                        DockerConfig.class, docker -> assertThat(docker.image()).isEqualTo("ubuntu:24.04"));
        assertThat(config.database()).isEqualTo(new DatabaseSettings.Sqlite(home.resolve("hermit.db")));
        assertThat(config.docker().workspaceRoot()).isEqualTo(home.resolve("workspaces"));
        assertThat(config.warnings()).isEmpty();
    }

    @Test
    void a_made_token_has_256_random_bits_and_is_kept() {
        var first = GatewayConfig.load(home, Map.of());
        var second = GatewayConfig.load(home, Map.of());

        assertThat(first.adminToken().secret().reveal()).matches("hermit_admin_[A-Za-z0-9_-]{43}");
        assertThat(first.adminToken().origin()).isEqualTo("admin-token");
        assertThat(second.adminToken()).isEqualTo(first.adminToken());
        assertThat(second.instanceId()).isEqualTo(first.instanceId());

        var elsewhere = GatewayConfig.load(directory.resolve("other"), Map.of());
        assertThat(elsewhere.adminToken()).isNotEqualTo(first.adminToken());
        assertThat(elsewhere.instanceId()).isNotEqualTo(first.instanceId());
    }

    @Test
    void no_token_is_made_where_the_operator_has_set_one() {
        var config = GatewayConfig.load(home, Map.of("HERMIT_ADMIN_TOKEN", TOKEN));

        assertThat(config.adminToken()).isEqualTo(new AdminToken(new Secret(TOKEN), "environment"));
        assertThat(home.resolve("admin-token")).doesNotExist();
    }

    @Test
    void a_check_changes_nothing_on_disk() {
        assertThat(GatewayConfig.check(home, Map.of()).server().port()).isEqualTo(4000);
        assertThat(home).doesNotExist();
    }

    @Test
    void a_token_that_others_can_read_is_refused() throws Exception {
        GatewayConfig.load(home, Map.of());
        chmod("admin-token", "rw-r-----");

        assertThat(mistakes(Map.of())).singleElement().satisfies(mistake -> {
            assertThat(mistake.path()).isEqualTo("admin-token");
            assertThat(mistake.message()).contains("chmod 600");
        });
    }

    @Test
    void a_home_that_others_can_write_is_refused() throws Exception {
        GatewayConfig.load(home, Map.of());
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxrwx---"));

        assertThat(mistakes(Map.of()))
                .singleElement()
                .satisfies(mistake -> assertThat(mistake.path()).isEqualTo(home.toString()));
    }

    @Test
    void a_config_with_secrets_that_others_can_read_is_refused_and_one_without_is_not() throws Exception {
        write("gateway.json", """
                {"sandboxPresets": {"dev": {"type": "docker", "config": {"env": {"LANG": "C"}}}}}""");
        chmod("gateway.json", "rw-r--r--");
        assertThat(GatewayConfig.load(home, Map.of()).presets().all())
                .extracting(Preset::name)
                .containsExactly("dev");

        write("gateway.json", """
                {"sandboxPresets": {"dev": {"type": "docker", "config": {"env": {"API_KEY": "x"}}}}}""");
        chmod("gateway.json", "rw-r--r--");
        assertThat(mistakes(Map.of())).extracting(FieldError::path).containsExactly("gateway.json");
    }

    @Test
    void a_dotenv_with_secrets_that_others_can_read_is_refused_and_one_without_is_not() throws Exception {
        write(".env", "DAYTONA_TARGET=eu\n");
        chmod(".env", "rw-r--r--");
        assertThat(GatewayConfig.load(home, Map.of()).clouds().daytona().target())
                .contains("eu");

        write(".env", "E2B_API_KEY=e2b_123\n");
        chmod(".env", "rw-r--r--");
        assertThat(mistakes(Map.of())).extracting(FieldError::path).containsExactly(".env");
    }

    @Test
    void the_real_environment_wins_over_dotenv() throws Exception {
        write(".env", "HERMIT_ADMIN_TOKEN='a-token-from-the-file'\nE2B_DOMAIN=file.example\n");

        var config = GatewayConfig.load(home, Map.of("E2B_DOMAIN", "process.example"));

        assertThat(config.adminToken().origin()).isEqualTo(".env");
        assertThat(config.clouds().e2b().domain()).contains("process.example");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, true", "localhost, true", "::1, true", "127.8.8.8, true",
        "0.0.0.0, false", "::, false", "192.168.1.5, false", "gateway.example.org, false"
    })
    void only_a_loopback_address_needs_no_token_of_the_operator(String host, boolean starts) throws Exception {
        write("gateway.json", "{\"server\": {\"host\": \"%s\"}}".formatted(host));

        if (starts) {
            assertThat(GatewayConfig.load(home, Map.of()).server().isLoopback()).isTrue();
        } else {
            assertThat(mistakes(Map.of())).singleElement().satisfies(mistake -> {
                assertThat(mistake.path()).isEqualTo("server.host");
                assertThat(mistake.message()).contains("HERMIT_ADMIN_TOKEN");
            });
            assertThat(home.resolve("admin-token")).doesNotExist();
        }
        assertThat(GatewayConfig.load(home, Map.of("HERMIT_ADMIN_TOKEN", TOKEN))
                        .server()
                        .host())
                .isEqualTo(host);
    }

    @Test
    void a_token_that_a_first_start_made_does_not_open_the_gateway_to_the_network() throws Exception {
        GatewayConfig.load(home, Map.of());
        write("gateway.json", "{\"server\": {\"host\": \"0.0.0.0\"}}");

        assertThat(mistakes(Map.of())).extracting(FieldError::path).containsExactly("server.host");
    }

    @Test
    void all_mistakes_are_reported_together_with_path_and_nearest_key() throws Exception {
        write("gateway.json", """
                {
                  "sandboxPreset": {},
                  "server": {"port": 70000, "hots": "localhost", "agent_creation": "anybody"},
                  "docker": {"pull_policy": "sometimes", "network": "host", "workspace_root": "relative"},
                  "exec": {"default_timeout_ms": 5000, "max_timeout_ms": 1000},
                  "models": {"main": {"provider": "openai_compatible", "modle": "x"}},
                  "sandboxPresets": {
                    "dev": {"type": "docker", "config": {"imgae": "ubuntu", "memory_limit": "lots"}},
                    "two": {"type": "daytona", "config": {"image": "a", "snapshot": "b"}},
                    "old": {"type": "host", "config": {}},
                    "odd": {"type": "dokcer"}
                  },
                  "autoProvisionSandbox": "dve"
                }""");

        var mistakes = mistakes(
                Map.of("HERMIT_ADMIN_TOKEN", "short", "DATABASE_URL", "mysql://u:p@h/d", "E2B_API_URL", "nonsense"));

        assertThat(mistakes)
                .extracting(FieldError::path)
                .containsExactlyInAnyOrder(
                        "sandboxPreset",
                        "server.port",
                        "server.hots",
                        "server.agent_creation",
                        "docker.pull_policy",
                        "docker.network",
                        "docker.workspace_root",
                        "exec.default_timeout_ms",
                        "models.main.model",
                        "models.main.modle",
                        "sandboxPresets.dev.config.imgae",
                        "sandboxPresets.dev.config.memory_limit",
                        "sandboxPresets.two.config.snapshot",
                        "sandboxPresets.old.type",
                        "sandboxPresets.odd.type",
                        "autoProvisionSandbox",
                        "HERMIT_ADMIN_TOKEN",
                        "DATABASE_URL",
                        "E2B_API_URL");
        assertThat(message(mistakes, "sandboxPreset")).contains("did you mean 'sandboxPresets'");
        assertThat(message(mistakes, "server.hots")).contains("did you mean 'host'");
        assertThat(message(mistakes, "sandboxPresets.dev.config.imgae")).contains("did you mean 'image'");
        assertThat(message(mistakes, "sandboxPresets.odd.type")).contains("did you mean 'docker'");
        assertThat(message(mistakes, "sandboxPresets.old.type")).contains("unsandboxed shell access");
        assertThat(message(mistakes, "autoProvisionSandbox")).contains("did you mean 'dev'");
    }

    @Test
    void a_null_in_a_preset_is_a_mistake_with_a_path() throws Exception {
        write("gateway.json", """
                {"sandboxPresets": {"dev": {"type": "docker", "config": {"image": null}}, "x": null}}""");

        assertThat(mistakes(Map.of()))
                .extracting(FieldError::path)
                .containsExactlyInAnyOrder("sandboxPresets.dev.config.image", "sandboxPresets.x");
    }

    @Test
    void a_preset_without_config_has_the_types_defaults() throws Exception {
        write("gateway.json", """
                {"sandboxPresets": {"cloud": {"type": "e2b"}}, "autoProvisionSandbox": null}""");

        var config = GatewayConfig.load(home, Map.of());

        assertThat(config.presets().get("cloud", "").config().type()).isEqualTo(BackendType.E2B);
        assertThat(config.presets().auto()).isEmpty();
    }

    @Test
    void the_documented_presets_are_accepted_in_their_order() throws Exception {
        write("gateway.json", """
                {
                  "sandboxPresets": {
                    "docker-ubuntu": {
                      "type": "docker",
                      "config": { "image": "ubuntu:24.04", "username": "root", "agent_home": "/root" }
                    },
                    "e2b-default": { "type": "e2b", "config": { "template": "base" } },
                    "daytona-default": { "type": "daytona", "config": {} }
                  },
                  "autoProvisionSandbox": "docker-ubuntu"
                }""");

        assertThat(GatewayConfig.load(home, Map.of()).presets().all())
                .extracting(Preset::name)
                .containsExactly("docker-ubuntu", "e2b-default", "daytona-default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"server\": {}, \"server\": {}}", "{} {}", "{\"a\": 1,}", "[]", "", "null", "{'a': 1}"})
    void what_is_not_strict_json_is_one_mistake_with_line_and_column(String text) throws Exception {
        write("gateway.json", text);

        assertThat(mistakes(Map.of())).singleElement().satisfies(mistake -> {
            assertThat(mistake.path()).isEqualTo("gateway.json");
            assertThat(mistake.message()).matches("(?s)line \\d+, column \\d+: .+");
        });
    }

    @Test
    void blocks_that_are_written_are_what_counts() throws Exception {
        write("gateway.json", """
                {
                  "server": {"port": 0, "allowed_origins": ["https://example.org"], "allowed_hosts": ["hermit.example"],
                             "trusted_proxies": ["10.0.0.0/8"], "agent_creation": "admin"},
                  "docker": {"endpoint": "unix:///run/docker.sock", "pull_policy": "never", "network": "none",
                             "runtime": "runsc", "workspace_root": "/srv/hermit"},
                  "exec": {"default_timeout_ms": 1000, "max_timeout_ms": 2000, "default_output_bytes": 10,
                           "max_output_bytes": 20, "max_concurrent": 3},
                  "models": {"main": {"provider": "anthropic", "model": "m-1", "base_url": "https://models.example",
                                      "api_key_env": "MODEL_KEY", "max_output_tokens": 1000,
                                      "context_tokens": 8000, "temperature": 0.5}},
                  "turns": {"max_steps": 3, "max_minutes": 4, "max_concurrent": 5},
                  "retention": {"exec_days": 30, "exec_output_bytes": 5000000, "audit_days": 90},
                  "sessions": {"idle_end_minutes": 5},
                  "audit": {"command_text": false},
                  "limits": {"execs_per_caller": 4, "streams_per_caller": 5, "turns_per_caller": 8,
                             "sandboxes_per_agent": 6, "agents_per_hour": 7}
                }""");

        var config = GatewayConfig.load(home, Map.of("MODEL_KEY", "sk-1", "DOCKER_HOST", "tcp://10.0.0.1:2375"));

        assertThat(config.server())
                .isEqualTo(new ServerSettings(
                        "127.0.0.1",
                        0,
                        List.of("https://example.org"),
                        List.of("hermit.example"),
                        List.of("10.0.0.0/8"),
                        ServerSettings.AgentCreation.ADMIN));
        assertThat(config.docker().endpoint()).hasToString("unix:///run/docker.sock");
        assertThat(config.docker().endpointOrigin()).isEqualTo("gateway.json");
        assertThat(config.docker().network()).isEqualTo(DockerConfig.Network.NONE);
        assertThat(config.exec()).isEqualTo(new ExecLimits(Duration.ofSeconds(1), Duration.ofSeconds(2), 10, 20, 3, 4));
        assertThat(config.models())
                .hasEntrySatisfying(
                        "main",
                        model -> assertThat(model)
                                .isEqualTo(new ModelSettings(
                                        ModelSettings.Provider.ANTHROPIC,
                                        Optional.of(URI.create("https://models.example")),
                                        "m-1",
                                        Optional.of("MODEL_KEY"),
                                        Optional.of(new Secret("sk-1")),
                                        1_000,
                                        8_000,
                                        Optional.of(new BigDecimal("0.5")))));
        assertThat(config.turns()).isEqualTo(new TurnLimits(3, Duration.ofMinutes(4), 5, 8));
        assertThat(config.secrets())
                .contains("sk-1", config.adminToken().secret().reveal());
        assertThat(config.retention().execs()).isEqualTo(Duration.ofDays(30));
        assertThat(config.retention().audit()).isEqualTo(Duration.ofDays(90));
        assertThat(config.sessions().idleEnd()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.audit()).isEqualTo(new AuditSettings(false));
        assertThat(config.limits()).isEqualTo(new LimitSettings(4, 5, 8, 6, 7));
    }

    @Test
    void what_is_wrong_with_a_model_is_said_with_its_path() throws Exception {
        write("gateway.json", """
                {"models": {
                   "one": {"provider": "openai", "model": "m", "temperature": 3, "max_output_tokens": 0, "max_tokens": 1},
                   "two": {"provider": "anthropic", "model": "m", "base_url": "http://user:pw@host", "context_tokens": 10},
                   "a b": {"provider": "anthropic", "model": "m", "api_key_env": "NOT A NAME"},
                   "big": {"provider": "anthropic", "model": "m", "max_output_tokens": 9000, "context_tokens": 10000}},
                 "turns": {"max_steps": 0, "max_minuts": 1}}""");

        assertThat(mistakes(Map.of()))
                .extracting(FieldError::path)
                .containsExactlyInAnyOrder(
                        "models.one.provider",
                        "models.one.temperature",
                        "models.one.max_output_tokens",
                        "models.one.max_tokens",
                        "models.two.base_url",
                        "models.two.context_tokens",
                        "models.a b",
                        "models.a b.api_key_env",
                        "models.big.max_output_tokens",
                        "turns.max_steps",
                        "turns.max_minuts");
    }

    @Test
    void a_variable_that_nobody_reads_and_that_looks_like_a_slip_is_warned_of() {
        var config = GatewayConfig.load(home, Map.of("HERMIT_ADMIN_TOKN", TOKEN, "HERMIT_SOMETHING_ELSE", "1"));

        assertThat(config.warnings()).singleElement().asString().contains("HERMIT_ADMIN_TOKN", "HERMIT_ADMIN_TOKEN");
    }

    @Test
    void the_engine_is_called_as_docker_host_and_its_tls_variables_say() {
        var config = GatewayConfig.load(
                home,
                Map.of(
                        "DOCKER_HOST", "tcp://engine.example:2376",
                        "DOCKER_TLS_VERIFY", "1",
                        "DOCKER_CERT_PATH", "/etc/hermit/tls"));

        assertThat(config.docker().endpoint()).hasToString("tcp://engine.example:2376");
        assertThat(config.docker().endpointOrigin()).isEqualTo("DOCKER_HOST");
        assertThat(config.docker().tlsCertificates()).contains(Path.of("/etc/hermit/tls"));
        assertThat(config.warnings()).isEmpty();
        assertThat(mistakes(Map.of("DOCKER_TLS_VERIFY", "1")))
                .extracting(FieldError::path)
                .containsExactly("DOCKER_CERT_PATH");
        assertThat(GatewayConfig.load(home, Map.of("DOCKER_HOST", "tcp://engine.example:2375"))
                        .warnings())
                .hasSize(1);
    }

    @Test
    void the_effective_values_show_no_secret() throws Exception {
        write("gateway.json", """
                {"models": {"main": {"provider": "openai_compatible", "model": "m", "api_key_env": "MODEL_KEY"}},
                 "sandboxPresets": {"dev": {"type": "docker", "config": {"env": {"GIT_TOKEN": "canary-1"}}}}}""");

        var config = GatewayConfig.load(
                home,
                Map.of(
                        "HERMIT_ADMIN_TOKEN", "canary-2-and-then-some",
                        "DATABASE_URL", "postgres://hermit:canary-3@db.example/hermit",
                        "E2B_API_KEY", "canary-4",
                        "MODEL_KEY", "canary-5"));

        assertThat(config.effective().toString())
                .doesNotContain("canary")
                .contains("db.example", "docker", "GIT_TOKEN");
        assertThat(config.toString().replace("canary-1", "")).doesNotContain("canary");
    }

    private List<FieldError> mistakes(Map<String, String> environment) {
        Invalid refused = catchThrowableOfType(Invalid.class, () -> GatewayConfig.load(home, environment));
        assertThat(refused).as("refused").isNotNull();
        return refused.errors();
    }

    private static String message(List<FieldError> mistakes, String path) {
        return mistakes.stream()
                .filter(each -> each.path().equals(path))
                .map(FieldError::message)
                .findFirst()
                .orElse("no mistake at " + path);
    }

    private void write(String name, String text) throws IOException {
        if (!Files.exists(home))
            Files.createDirectory(
                    home, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path file = home.resolve(name);
        Files.writeString(file, text);
        chmod(name, "rw-------");
    }

    private void chmod(String name, String mode) throws IOException {
        Files.setPosixFilePermissions(home.resolve(name), PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
