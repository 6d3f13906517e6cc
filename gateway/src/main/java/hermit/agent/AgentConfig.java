package hermit.agent;

import hermit.exec.LifecycleSettings;
import hermit.problem.Documents;
import hermit.problem.Fields;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// An agent's `config` document: a closed object.
///
/// - `given`: what was written, without defaults.
/// - `lifecycle`: `exec.lifecycle`, which concerns its machines.
/// - `model`: which of the operator's models answers for it; empty: none does.
/// - `instructions`: what that model is told.
public record AgentConfig(
        Map<String, Object> given, LifecycleSettings lifecycle, Optional<String> model, Instructions instructions) {
    public static final AgentConfig EMPTY =
            new AgentConfig(Map.of(), LifecycleSettings.SILENT, Optional.empty(), Instructions.NONE);

    private static final Pattern MODEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    public AgentConfig {
        given = Documents.copyOf(given);
    }

    /// Reads the document that `fields` stands at; mistakes are left there. Whether there is such a model
    /// is not asked: what is stored stays readable when the operator takes one away.
    public static AgentConfig read(Map<String, Object> given, Fields fields) {
        var lifecycle = fields.nested("exec")
                .map(exec -> {
                    var settings = LifecycleSettings.read(exec);
                    exec.close();
                    return settings;
                })
                .orElse(LifecycleSettings.SILENT);
        var model = fields.text("model", MODEL, "the name of one of the gateway's models");
        var instructions = fields.nested("instructions").map(Instructions::read).orElse(Instructions.NONE);
        fields.close();
        return fields.errors().isEmpty() ? new AgentConfig(given, lifecycle, model, instructions) : EMPTY;
    }

    /// The model that a document names, whatever else is wrong with it.
    static Optional<String> modelIn(Map<String, Object> document) {
        return document.get("model") instanceof String name
                        && MODEL.matcher(name).matches()
                ? Optional.of(name)
                : Optional.empty();
    }

    /// A document that stands for itself; throws [hermit.problem.GatewayException.Invalid] with paths under
    /// `path`.
    public static AgentConfig of(Map<String, Object> given, String path) {
        var fields = Fields.at(path, given);
        var config = read(given, fields);
        fields.finish();
        return config;
    }
}
