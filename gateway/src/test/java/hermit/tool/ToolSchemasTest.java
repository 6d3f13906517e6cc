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
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
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
                .contains("default (docker debian:13; user root; home /root; memory 2g)")
                .contains("tools (docker debian:13; user root; home /root; memory 2g; cpus 4)");
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

    private static Sandbox sandbox(String alias, Map<String, Object> more) {
        var config = new LinkedHashMap<String, Object>(Map.of("image", "debian:13"));
        config.putAll(more);
        return new Sandbox(
                new SandboxId(new UUID(1, alias.hashCode())),
                new UUID(1, 1),
                new AgentId("main"),
                new Alias(alias),
                BackendConfig.of(BackendType.DOCKER, config, ""),
                new SandboxStatus.Pending(),
                0,
                Map.of(),
                Instant.EPOCH,
                Instant.EPOCH,
                1);
    }

    private static SecurityPolicy policy(AutonomyLevel level) {
        return new SecurityPolicy(Access.PRIVATE, level, List.of("exec"), Optional.empty(), false);
    }
}
