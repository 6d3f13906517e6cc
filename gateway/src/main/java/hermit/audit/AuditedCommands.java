package hermit.audit;

import hermit.command.ExecRecord;
import hermit.command.Outcome;
import hermit.command.Watch;
import hermit.exec.Command.Program;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records every command and terminal before it starts, and its end, whoever asked for it and by which way.
public final class AuditedCommands implements Watch.ExecListener {
    private static final Logger log = LoggerFactory.getLogger(AuditedCommands.class);
    /// More of a command than anybody reads; the digest is over all of it.
    private static final int MOST_TEXT = 4_000;

    /// Of so many sandboxes it is remembered whose they are; more are seldom in use at one time.
    private static final int MOST_PLACES = 1_000;

    private final Audit audit;
    private final Function<SandboxId, Optional<Sandbox>> sandboxes;
    private final boolean withText;
    private final Map<SandboxId, Place> places = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<SandboxId, Place> eldest) {
            return size() > MOST_PLACES;
        }
    });

    /// Whose a sandbox is and what it is called, which never changes.
    private record Place(UUID agentUid, String path) {}

    /// `withText`: whether the text of commands is recorded, or its digest only.
    public AuditedCommands(Audit audit, Function<SandboxId, Optional<Sandbox>> sandboxes, boolean withText) {
        this.audit = audit;
        this.sandboxes = sandboxes;
        this.withText = withText;
    }

    @Override
    public void starting(ExecRecord exec) {
        var details = new LinkedHashMap<String, String>();
        String text = switch (exec.program()) {
            case Program.Shell(String script) -> script;
            case Program.Argv(var arguments) -> String.join("\0", arguments);
        };
        details.put("command_sha256", AuditRecord.sha256(text));
        details.put("cwd", exec.cwd());
        if (withText) details.put("command", shown(text));
        record(exec, "start", "ok", details);
    }

    @Override
    public void ended(ExecRecord exec) {
        var details = new LinkedHashMap<String, String>();
        exec.outcome().flatMap(Outcome::exitCode).ifPresent(code -> details.put("exit_code", Integer.toString(code)));
        String how = exec.outcome().map(each -> each.reason().toString()).orElse("unknown");
        try {
            record(exec, "end", how, details);
        } catch (BackendUnavailable e) {
            log.error("the end of command {} ({}) is not in the audit: {}", exec.id(), how, e.detail());
        }
    }

    private void record(ExecRecord exec, String what, String result, Map<String, String> details) {
        Optional<Place> place = place(exec.sandboxId());
        String kind = exec.terminal().isPresent() ? "terminals" : "execs";
        details.put("exec_id", exec.id().toString());
        details.put("sandbox_id", exec.sandboxId().toString());
        String target = place.map(where -> where.path + "/" + kind + "/" + exec.id())
                .orElse(exec.id().toString());
        audit.record(exec.caller(), "", kind + "." + what, place.map(Place::agentUid), target, result, "", details);
    }

    private Optional<Place> place(SandboxId sandbox) {
        Place known = places.get(sandbox);
        if (known != null) return Optional.of(known);
        Optional<Place> found = sandboxes
                .apply(sandbox)
                .map(row ->
                        new Place(row.agentUid(), "/api/agents/%s/sandboxes/%s".formatted(row.agentId(), row.alias())));
        found.ifPresent(place -> places.put(sandbox, place));
        return found;
    }

    private static String shown(String text) {
        return text.length() <= MOST_TEXT ? text : text.substring(0, MOST_TEXT) + "…";
    }
}
