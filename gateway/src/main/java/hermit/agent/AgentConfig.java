package hermit.agent;

import hermit.exec.LifecycleSettings;
import hermit.problem.Documents;
import hermit.problem.Fields;
import java.util.Map;

/// An agent's `config` document: a closed object, of which `exec.lifecycle` is the part that concerns its machines.
///
/// `given` is what was written, without defaults.
public record AgentConfig(Map<String, Object> given, LifecycleSettings lifecycle) {
    public static final AgentConfig EMPTY = new AgentConfig(Map.of(), LifecycleSettings.SILENT);

    public AgentConfig {
        given = Documents.copyOf(given);
    }

    /// Reads the document that `fields` stands at; mistakes are left there.
    public static AgentConfig read(Map<String, Object> given, Fields fields) {
        var lifecycle = fields.nested("exec")
                .map(exec -> {
                    var settings = LifecycleSettings.read(exec);
                    exec.close();
                    return settings;
                })
                .orElse(LifecycleSettings.SILENT);
        fields.close();
        return fields.errors().isEmpty() ? new AgentConfig(given, lifecycle) : EMPTY;
    }

    /// A document that stands for itself; throws [hermit.problem.GatewayException.Invalid] with paths under `path`.
    public static AgentConfig of(Map<String, Object> given, String path) {
        var fields = Fields.at(path, given);
        var config = read(given, fields);
        fields.finish();
        return config;
    }
}
