package hermit.backend.daytona;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.backend.cloud.Marks;
import hermit.exec.DaytonaConfig;
import hermit.exec.DaytonaConfig.Source;
import hermit.exec.MachineSpec;
import java.util.Optional;
import java.util.TreeMap;

/// What is asked for when a sandbox is made.
final class NewSandbox {
    private static final ObjectMapper JSON = new ObjectMapper();

    private NewSandbox() {}

    /// `hermit-<agent>-<alias>-<first 8 hex digits of the row's id>-<generation>`: for people, and to find
    /// the sandbox by if the answer was lost. One that cannot be used any more may still have the name of
    /// its own generation.
    static String name(MachineSpec spec, Marks marks) {
        return "hermit-%s-%s-%s-%d"
                .formatted(
                        spec.agentId(),
                        spec.alias(),
                        spec.sandboxId().toString().substring(0, 8),
                        marks.generation());
    }

    /// What the config leaves out is left out, so that the provider's own default counts; but for the
    /// interval after which it stops an idle sandbox, which the gateway counts on.
    static ObjectNode body(MachineSpec spec, Marks marks, DaytonaConfig config, Optional<String> target) {
        var body = JSON.createObjectNode().put("name", name(spec, marks));
        switch (config.source()) {
            case Source.ProviderDefault() -> {}
            case Source.Snapshot(var id) -> body.put("snapshot", id);
            case Source.Image(var image, var cpu, var memory, var disk) -> {
                body.putObject("buildInfo").put("dockerfileContent", "FROM %s\n".formatted(image));
                cpu.ifPresent(size -> body.put("cpu", size));
                memory.ifPresent(size -> body.put("memory", size));
                disk.ifPresent(size -> body.put("disk", size));
            }
        }
        body.put("user", config.username());
        var env = body.putObject("env");
        new TreeMap<>(config.env()).forEach(env::put);
        var labels = body.putObject("labels");
        new TreeMap<>(config.labels()).forEach(labels::put);
        new TreeMap<>(marks.toMap()).forEach(labels::put);
        target.ifPresent(region -> body.put("target", region));
        return body.put("autoStopInterval", config.autoStopIntervalMinutes());
    }
}
