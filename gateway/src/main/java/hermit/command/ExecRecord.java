package hermit.command;

import hermit.exec.Command.Program;
import hermit.exec.Command.Terminal;
import hermit.exec.ExecId;
import hermit.sandbox.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// One command's row. Written before the command starts, ended once.
///
/// - `generation`: of the machine that it runs in.
/// - `gateway`: which gateway watches it.
/// - `cwd`, `timeout`: in force, not as asked: an empty timeout means that there is no deadline.
/// - `terminal`: the size that its PTY was made with, if it has one.
/// - `stdoutBytes`, `stderrBytes`: all that it printed, once it has ended.
/// - `notes`: what the caller should know, e.g. that the sandbox had to be made anew.
public record ExecRecord(
        ExecId id,
        SandboxId sandboxId,
        UUID gateway,
        String caller,
        Program program,
        String cwd,
        Optional<Duration> timeout,
        boolean background,
        Optional<Terminal> terminal,
        int maxOutputBytes,
        Optional<IdempotencyKey> idempotencyKey,
        long generation,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Outcome> outcome,
        long stdoutBytes,
        long stderrBytes,
        List<String> notes) {

    /// A key that makes a repeated request the same command. `bodySha256` is the hex digest of the request that first
    /// used it.
    public record IdempotencyKey(String key, String bodySha256) {}

    public ExecRecord {
        notes = List.copyOf(notes);
    }

    /// As shown: `starting`, `running`, `ended`.
    public String state() {
        if (outcome.isPresent()) return "ended";
        return startedAt.isPresent() ? "running" : "starting";
    }

    public ExecRecord started(long inGeneration, List<String> withNotes, Instant at) {
        return new ExecRecord(
                id,
                sandboxId,
                gateway,
                caller,
                program,
                cwd,
                timeout,
                background,
                terminal,
                maxOutputBytes,
                idempotencyKey,
                inGeneration,
                createdAt,
                Optional.of(at),
                outcome,
                stdoutBytes,
                stderrBytes,
                withNotes);
    }

    public ExecRecord ended(Outcome how, long stdout, long stderr, List<String> withNotes) {
        return new ExecRecord(
                id,
                sandboxId,
                gateway,
                caller,
                program,
                cwd,
                timeout,
                background,
                terminal,
                maxOutputBytes,
                idempotencyKey,
                generation,
                createdAt,
                startedAt,
                Optional.of(how),
                stdout,
                stderr,
                withNotes);
    }
}
