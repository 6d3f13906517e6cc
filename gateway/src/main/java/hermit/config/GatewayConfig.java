package hermit.config;

import hermit.command.ExecLimits;
import hermit.problem.FieldError;
import hermit.sandbox.Presets;
import hermit.turn.TurnLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/// Everything that the operator has decided, checked as a whole.
///
/// - `home`: the directory that is this gateway's alone, absolute.
/// - `instanceId`: made at the first start and kept; marks what this gateway makes elsewhere.
/// - `warnings`: what is allowed and probably not meant, one sentence each.
public record GatewayConfig(
        Path home,
        UUID instanceId,
        AdminToken adminToken,
        ServerSettings server,
        DatabaseSettings database,
        Presets presets,
        DockerSettings docker,
        ExecLimits exec,
        Map<String, ModelSettings> models,
        TurnLimits turns,
        RetentionSettings retention,
        SessionSettings sessions,
        AuditSettings audit,
        LimitSettings limits,
        CloudSettings clouds,
        List<String> warnings) {

    public GatewayConfig {
        models = Collections.unmodifiableMap(new LinkedHashMap<>(models));
        warnings = List.copyOf(warnings);
    }

    /// Reads the configuration of the gateway whose home this is, and on its first start makes what is missing: the
    /// directory, `gateway.json`, the admin token and the instance id.
    ///
    /// Throws [hermit.problem.GatewayException.Invalid] with every mistake at once.
    public static GatewayConfig load(Path home, Map<String, String> environment) {
        var mistakes = new ArrayList<FieldError>();
        return new ConfigReader(Home.open(home, mistakes), mistakes).read(environment);
    }

    /// Like [#load], and changes nothing on disk: what a first start would make is made up.
    public static GatewayConfig check(Path home, Map<String, String> environment) {
        var mistakes = new ArrayList<FieldError>();
        return new ConfigReader(Home.inspect(home, mistakes), mistakes).read(environment);
    }

    /// The values that nobody is to see who has not got them from the operator.
    public List<String> secrets() {
        var secrets = new ArrayList<Secret>();
        secrets.add(adminToken.secret());
        models.values().forEach(model -> model.apiKey().ifPresent(secrets::add));
        clouds.e2b().apiKey().ifPresent(secrets::add);
        clouds.daytona().apiKey().ifPresent(secrets::add);
        clouds.tenki().token().ifPresent(secrets::add);
        if (database instanceof DatabaseSettings.Postgresql postgresql) secrets.add(postgresql.password());
        return secrets.stream().map(Secret::reveal).toList();
    }

    /// The values in force, defaults included, as a JSON-like map. Holds no secret.
    public Map<String, Object> effective() {
        return EffectiveConfig.of(this);
    }
}
