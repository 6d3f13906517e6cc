package hermit.api;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// One command without its output; also the data of the events `start` and `end`.
///
/// - `state`: `starting`, `running` or `ended`.
/// - `command`, `argv`: one of them, as it was given.
/// - `cwd`, `timeoutMs`: in force. No timeout means that there is no deadline.
/// - `endReason`: `exited`, `signaled`, `timed_out`, `cancelled`, `oom_killed`, `sandbox_lost`,
///   `transport_lost`, `gateway_restarted` or `not_started`.
/// - `signal`: the name of the signal that ended it, e.g. `SIGKILL`.
/// - `stdoutBytes`, `stderrBytes`: all that it has printed, once it has ended.
/// - `terminal`: whether it has a PTY; its output is all stdout then.
/// - `error`: why it could not be started, or why its end is not known.
public record ExecSummary(
        UUID execId,
        String state,
        String caller,
        Optional<String> command,
        Optional<List<String>> argv,
        String cwd,
        boolean background,
        Optional<Long> timeoutMs,
        Instant createdAt,
        Optional<Instant> startedAt,
        Optional<Instant> endedAt,
        Optional<Integer> exitCode,
        Optional<String> endReason,
        Optional<String> signal,
        boolean timedOut,
        Optional<Long> durationMs,
        long stdoutBytes,
        long stderrBytes,
        long sandboxGeneration,
        List<String> notes,
        Optional<Failure> error,
        boolean terminal) {
    public ExecSummary {
        notes = List.copyOf(notes);
    }

    /// A problem's code and detail.
    public record Failure(String code, String detail) {}
}
