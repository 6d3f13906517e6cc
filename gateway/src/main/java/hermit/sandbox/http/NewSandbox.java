package hermit.sandbox.http;

import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The body of a request that adds a sandbox: `{type, alias?, config?}` or `{preset, alias?}`.
record NewSandbox(Alias alias, BackendConfig config) {
    private static final String TYPES =
            Arrays.stream(BackendType.values()).map(Object::toString).collect(Collectors.joining(", "));

    /// Throws [Invalid] with all mistakes.
    static NewSandbox read(Fields fields, Presets presets) {
        var alias = fields.text("alias", Alias.PATTERN, Alias.SHAPE).map(Alias::new).orElse(Alias.DEFAULT);
        Optional<BackendConfig> config = fields.has("preset") ? ofPreset(fields, presets) : ofType(fields);
        fields.finish();
        return new NewSandbox(alias, config.orElseThrow());
    }

    private static Optional<BackendConfig> ofPreset(Fields fields, Presets presets) {
        for (String key : new String[] {"type", "config"})
            if (fields.has(key)) fields.mistake(key, "a preset brings its own " + key);
        return fields.text("preset").flatMap(name -> {
            try {
                return Optional.of(presets.get(name, "preset"));
            } catch (Invalid e) {
                fields.mistakes(e.errors());
                return Optional.empty();
            }
        }).map(Preset::config);
    }

    private static Optional<BackendConfig> ofType(Fields fields) {
        if (!fields.has("type")) fields.mistake("type", "is required (or preset)");
        Optional<BackendType> type = fields.text("type").flatMap(name -> {
            if (BackendType.of(name).isEmpty()) fields.mistake("type", noType(name));
            return BackendType.of(name);
        });
        if (!fields.has("config"))
            return type.map(each -> BackendConfig.read(each, Map.of(), Fields.at("config", Map.of())));
        Optional<Map<String, Object>> given = fields.object("config");
        if (type.isEmpty() || given.isEmpty()) return Optional.empty();
        return fields.nested("config").map(nested -> BackendConfig.read(type.get(), given.get(), nested));
    }

    private static String noType(String name) {
        if (name.equals("host"))
            return "the host backend was removed: it ran commands on the gateway's own machine without isolation."
                    + " Use one of " + TYPES;
        return "must be one of " + TYPES;
    }
}
