package hermit.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.access.SecurityPolicy.Access;
import hermit.access.SecurityPolicy.AutonomyLevel;
import hermit.agent.AgentId;
import hermit.command.ExecLimits;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Capability;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import hermit.sandbox.EffectiveLifecycle;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
import hermit.sandbox.SandboxView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ToolSchemasTest {
    private static final ToolSchemas SCHEMAS = new ToolSchemas(ExecLimits.DEFAULT);

    @Test
    void everybody_is_offered_what_their_role_may_use() {
        var policy = policy(AutonomyLevel.SUPERVISED);
        assertThat(SCHEMAS.offered(policy, Role.USER, List.of()))
                .extracting(ToolSchema::tool)
                .containsExactly(Tool.values());
        assertThat(SCHEMAS.offered(policy, Role.GUEST, List.of()))
                .extracting(ToolSchema::tool)
                .containsExactly(Tool.EXEC_STATUS, Tool.EXEC_CANCEL, Tool.READ_FILE, Tool.LIST_FILES);
        assertThat(SCHEMAS.offered(policy(AutonomyLevel.READONLY), Role.OWNER, List.of()))
                .extracting(ToolSchema::tool)
                .containsExactly(Tool.EXEC_STATUS, Tool.EXEC_CANCEL, Tool.READ_FILE, Tool.LIST_FILES);
    }

    /// What a schema names is an argument of the tool, and what it requires is all that the tool needs.
    @ParameterizedTest
    @EnumSource(Tool.class)
    void a_schema_says_what_the_tool_takes(Tool tool) {
        var schema = SCHEMAS.of(tool, List.of());
        Map<String, Object> all = sample(schema, propertiesOf(schema).keySet());
        all.remove("sandbox"); // is taken off before
        all.remove("argv"); // instead of command
        assertThat(ToolArguments.read(tool, all, ExecLimits.DEFAULT)).isNotNull();

        Map<String, Object> required = sample(schema, requiredBy(schema));
        if (tool.runs()) required.put("command", "true");
        assertThat(ToolArguments.read(tool, required, ExecLimits.DEFAULT)).isNotNull();

        all.put("surprise", 1L);
        assertThatThrownBy(() -> ToolArguments.read(tool, all, ExecLimits.DEFAULT))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("surprise");
    }

    @Test
    void the_sandboxes_are_described_and_there_is_no_other() {
        var schema = SCHEMAS.of(Tool.EXEC, List.of(sandbox("default", Map.of()), sandbox("tools", Map.of("cpus", 4L))));
        var sandbox = object(propertiesOf(schema).get("sandbox"));
        assertThat(sandbox.get("enum")).isEqualTo(List.of("default", "tools"));
        assertThat(String.valueOf(sandbox.get("description")))
                .contains(
                        "default (docker debian:13; user root; home /root; memory 2g; disk 8g; at most 512 processes; can stdin)")
                .contains("tools (docker debian:13; user root; home /root; memory 2g; disk 8g; cpus 4;");
    }

    @Test
    void who_is_told_of_the_sandboxes_elsewhere_gets_their_names_only() {
        var schemas = SCHEMAS.offeredByAlias(
                policy(AutonomyLevel.FULL),
                Role.OWNER,
                List.of(sandbox("default", Map.of()), sandbox("tools", Map.of())));
        assertThat(schemas).hasSize(Tool.values().length).allSatisfy(schema -> {
            var sandbox = object(propertiesOf(schema).get("sandbox"));
            assertThat(sandbox.get("enum")).isEqualTo(List.of("default", "tools"));
            assertThat(sandbox.toString()).doesNotContain("docker");
        });
    }

    @Test
    void limits_of_every_kind_of_sandbox_are_told() {
        assertThat(told(BackendType.DOCKER, Map.of("image", "debian:13", "network", "none", "timeout_ms", 7_000L)))
                .isEqualTo(
                        "docker debian:13; user root; home /root; memory 2g; disk 8g; at most 512 processes; network none;"
                                + " 7 s for a command that says nothing; can stdin");
        assertThat(told(BackendType.E2B, Map.of("template", "base", "allow_internet_access", false)))
                .isEqualTo("e2b base; user user; home /home/user; paused after 60 min; no internet; can stdin");
        assertThat(told(
                        BackendType.DAYTONA,
                        Map.of("image", "debian:13", "resources", Map.of("cpu", 2L, "memory", 4L, "disk", 8L))))
                .isEqualTo("daytona debian:13; user daytona; home /home/daytona; memory 4g; cpus 2; disk 8g;"
                        + " stopped after 15 idle min; can stdin");
        assertThat(told(BackendType.TENKI, Map.of("cpu_cores", 2L, "memory_mb", 512L)))
                .contains("tenki; user tenki; home /home/tenki; memory 512m; cpus 2;");
    }

    @Test
    void an_agent_without_a_sandbox_says_so() {
        var sandbox = object(propertiesOf(SCHEMAS.of(Tool.EXEC, List.of())).get("sandbox"));
        assertThat(sandbox).doesNotContainKey("enum");
        assertThat(String.valueOf(sandbox.get("description"))).contains("no sandbox");
    }

    private static Map<String, Object> sample(ToolSchema schema, Set<String> names) {
        var sample = new LinkedHashMap<String, Object>();
        for (String name : names) {
            var property = object(propertiesOf(schema).get(name));
            Object value = switch (String.valueOf(property.get("type"))) {
                case "integer" -> property.get("minimum");
                case "boolean" -> true;
                case "object" -> Map.of("NAME", "value");
                case "array" -> List.of("true");
                default ->
                    switch (name) {
                        case "exec_id" -> new UUID(7, 7).toString();
                        case "encoding", "stdin_encoding" -> "utf8";
                        default -> "text of " + name;
                    };
            };
            sample.put(name, value);
        }
        return sample;
    }

    private static Map<String, Object> propertiesOf(ToolSchema schema) {
        return object(schema.input().get("properties"));
    }

    private static Set<String> requiredBy(ToolSchema schema) {
        return Set.copyOf(((List<?>) Objects.requireNonNull(schema.input().get("required")))
                .stream().map(String::valueOf).toList());
    }

    private static Map<String, Object> object(@Nullable Object value) {
        var object = new LinkedHashMap<String, Object>();
        ((Map<?, ?>) Objects.requireNonNull(value)).forEach((key, each) -> object.put(String.valueOf(key), each));
        return object;
    }

    private static String told(BackendType type, Map<String, Object> config) {
        return SandboxText.of(sandbox("default", type, config));
    }

    private static SandboxView sandbox(String alias, Map<String, Object> more) {
        var config = new LinkedHashMap<String, Object>(Map.of("image", "debian:13"));
        config.putAll(more);
        return sandbox(alias, BackendType.DOCKER, config);
    }

    private static SandboxView sandbox(String alias, BackendType type, Map<String, Object> config) {
        var row = new Sandbox(
                new SandboxId(new UUID(1, alias.hashCode())),
                new UUID(1, 1),
                new AgentId("main"),
                new Alias(alias),
                BackendConfig.of(type, config, ""),
                new SandboxStatus.Pending(),
                0,
                Map.of(),
                Instant.EPOCH,
                Instant.EPOCH,
                1);
        var own = row.config().lifecycle();
        return new SandboxView(row, EffectiveLifecycle.of(own, own), Set.of(Capability.STDIN), Optional.empty());
    }

    private static SecurityPolicy policy(AutonomyLevel level) {
        return new SecurityPolicy(Access.PRIVATE, level, List.of("exec"), Optional.empty(), false);
    }
}
