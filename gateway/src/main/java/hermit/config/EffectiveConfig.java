package hermit.config;

import hermit.command.ExecLimits;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Shows the values in force under the names that `gateway.json` has for them. A secret is shown as being set or
/// not, an environment variable of a sandbox without its value if its name tells of a secret.
final class EffectiveConfig {
    private static final String HIDDEN = "(hidden)";

    private EffectiveConfig() {}

    static Map<String, Object> of(GatewayConfig config) {
        var map = new LinkedHashMap<String, Object>();
        map.put("home", config.home().toString());
        map.put("instance_id", config.instanceId().toString());
        map.put("admin_token", object("set_by", config.adminToken().origin()));
        map.put("database", config.database().describe());
        map.put("server", server(config.server()));
        map.put("sandboxPresets", presets(config.presets()));
        config.presets().auto().ifPresent(preset -> map.put("autoProvisionSandbox", preset.name()));
        map.put("docker", docker(config.docker()));
        map.put("exec", exec(config.exec()));
        map.put("models", models(config.models()));
        map.put(
                "turns",
                object(
                        "max_steps", config.turns().maxSteps(),
                        "max_minutes", config.turns().maxTime().toMinutes(),
                        "max_concurrent", config.turns().maxConcurrent()));
        map.put(
                "retention",
                object(
                        "exec_days", config.retention().execs().toDays(),
                        "exec_output_bytes", config.retention().execOutputBytes(),
                        "audit_days", config.retention().audit().toDays()));
        map.put("audit", object("command_text", config.audit().commandText()));
        map.put("limits", limits(config.limits()));
        map.put(
                "sessions",
                object("idle_end_minutes", config.sessions().idleEnd().toMinutes()));
        map.put("clouds", clouds(config.clouds()));
        map.put("warnings", config.warnings());
        return map;
    }

    private static Map<String, Object> server(ServerSettings server) {
        return object(
                "host", server.host(),
                "port", server.port(),
                "allowed_origins", server.allowedOrigins(),
                "allowed_hosts", server.allowedHosts(),
                "trusted_proxies", server.trustedProxies(),
                "agent_creation", server.agentCreation());
    }

    private static Map<String, Object> docker(DockerSettings docker) {
        return object(
                "endpoint", docker.endpoint(),
                "endpoint_set_by", docker.endpointOrigin(),
                "tls_certificates", docker.tlsCertificates(),
                "pull_policy", docker.pullPolicy(),
                "network", docker.network(),
                "runtime", docker.runtime(),
                "workspace_root", docker.workspaceRoot());
    }

    private static Map<String, Object> exec(ExecLimits exec) {
        return object(
                "default_timeout_ms", exec.defaultTimeout().toMillis(),
                "max_timeout_ms", exec.maxTimeout().toMillis(),
                "default_output_bytes", exec.defaultOutputBytes(),
                "max_output_bytes", exec.maxOutputBytes(),
                "max_concurrent", exec.maxConcurrent());
    }

    private static Map<String, Object> limits(LimitSettings limits) {
        return object(
                "execs_per_caller", limits.execsPerCaller(),
                "streams_per_caller", limits.streamsPerCaller(),
                "turns_per_caller", limits.turnsPerCaller(),
                "sandboxes_per_agent", limits.sandboxesPerAgent(),
                "agents_per_hour", limits.agentsPerHour());
    }

    private static Map<String, Object> models(Map<String, ModelSettings> models) {
        var map = new LinkedHashMap<String, Object>();
        models.forEach((name, model) -> map.put(
                name,
                object(
                        "provider", model.provider(),
                        "base_url", model.baseUrl(),
                        "model", model.model(),
                        "api_key_env", model.apiKeyEnv(),
                        "api_key_set", model.apiKey().isPresent(),
                        "max_output_tokens", model.maxOutputTokens(),
                        "context_tokens", model.contextTokens(),
                        "temperature", model.temperature())));
        return map;
    }

    private static Map<String, Object> presets(Presets presets) {
        var map = new LinkedHashMap<String, Object>();
        for (Preset preset : presets.all())
            map.put(
                    preset.name(),
                    object(
                            "type", preset.config().type(),
                            "config", shown(preset.config().given())));
        return map;
    }

    private static Map<String, Object> shown(Map<String, Object> given) {
        var map = new LinkedHashMap<>(given);
        if (given.get("env") instanceof Map<?, ?> env) {
            var shown = new LinkedHashMap<String, Object>();
            env.forEach((key, value) -> {
                String name = String.valueOf(key);
                shown.put(name, Environment.namesCredential(name) ? HIDDEN : String.valueOf(value));
            });
            map.put("env", shown);
        }
        return map;
    }

    private static Map<String, Object> clouds(CloudSettings clouds) {
        return object(
                "e2b",
                object(
                        "api_key_set", clouds.e2b().apiKey().isPresent(),
                        "api_url", clouds.e2b().apiUrl(),
                        "api_version", clouds.e2b().apiVersion().map(Object::toString),
                        "domain", clouds.e2b().domain(),
                        "sandbox_url", clouds.e2b().sandboxUrl()),
                "daytona",
                object(
                        "api_key_set", clouds.daytona().apiKey().isPresent(),
                        "api_url", clouds.daytona().apiUrl(),
                        "target", clouds.daytona().target()),
                "tenki",
                object(
                        "token_set", clouds.tenki().token().isPresent(),
                        "api_endpoint", clouds.tenki().apiEndpoint()));
    }

    /// From names and values in turn; a value that is absent is left out.
    private static Map<String, Object> object(Object... namesAndValues) {
        var map = new LinkedHashMap<String, Object>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            String name = (String) namesAndValues[i];
            if (namesAndValues[i + 1] instanceof Optional<?> optional)
                optional.ifPresent(value -> map.put(name, plain(value)));
            else map.put(name, plain(namesAndValues[i + 1]));
        }
        return map;
    }

    /// Only what JSON knows.
    private static Object plain(Object value) {
        return switch (value) {
            case Enum<?> word -> word.toString();
            case URI uri -> uri.toString();
            case Path path -> path.toString();
            default -> value;
        };
    }
}
