package hermit.command;

import hermit.exec.Exit;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// The end of a command, as it is stored and shown.
///
/// - `exitCode`: empty where nobody can know it.
/// - `timedOut`: its own budget ran out (or the transport's, which is that budget and a grace).
/// - `failure`: for `not_started`, why.
public record Outcome(
        EndReason reason,
        Optional<Integer> exitCode,
        Optional<Integer> signal,
        boolean timedOut,
        Duration duration,
        Instant endedAt,
        Optional<Failure> failure) {

    /// A problem's code and detail.
    public record Failure(String code, String detail) {}

    /// Signals are numbered as on Linux.
    private static final int TERM = 15;

    private static final int KILL = 9;

    public static Outcome of(Exit exit, Duration duration, Instant endedAt) {
        return switch (exit) {
            case Exit.Exited(int code) -> plain(EndReason.EXITED, code, duration, endedAt);
            case Exit.Signaled(int signal) -> signaled(EndReason.SIGNALED, signal, duration, endedAt);
            case Exit.TimedOut _ -> timedOut(EndReason.TIMED_OUT, duration, endedAt);
            case Exit.Cancelled(boolean killed) ->
                plain(EndReason.CANCELLED, 128 + (killed ? KILL : TERM), duration, endedAt);
            case Exit.OomKilled _ -> signaled(EndReason.OOM_KILLED, KILL, duration, endedAt);
            case Exit.SandboxLost(String detail) ->
                unknown(EndReason.SANDBOX_LOST, "sandbox_lost", detail, duration, endedAt);
            case Exit.TransportLost _ -> timedOut(EndReason.TRANSPORT_LOST, duration, endedAt);
        };
    }

    /// The gateway went away while it ran, and what became of it cannot be learned.
    public static Outcome gatewayRestarted(String detail, Duration duration, Instant endedAt) {
        return unknown(EndReason.GATEWAY_RESTARTED, "gateway_restarted", detail, duration, endedAt);
    }

    /// It was accepted and certainly never ran.
    public static Outcome notStarted(String code, String detail, Instant endedAt) {
        return unknown(EndReason.NOT_STARTED, code, detail, Duration.ZERO, endedAt);
    }

    private static Outcome plain(EndReason reason, int code, Duration duration, Instant endedAt) {
        return new Outcome(reason, Optional.of(code), Optional.empty(), false, duration, endedAt, Optional.empty());
    }

    private static Outcome signaled(EndReason reason, int signal, Duration duration, Instant endedAt) {
        return new Outcome(
                reason, Optional.of(128 + signal), Optional.of(signal), false, duration, endedAt, Optional.empty());
    }

    private static Outcome timedOut(EndReason reason, Duration duration, Instant endedAt) {
        return new Outcome(
                reason, Optional.of(128 + KILL), Optional.empty(), true, duration, endedAt, Optional.empty());
    }

    private static Outcome unknown(EndReason reason, String code, String detail, Duration duration, Instant endedAt) {
        return new Outcome(
                reason,
                Optional.empty(),
                Optional.empty(),
                false,
                duration,
                endedAt,
                Optional.of(new Failure(code, detail)));
    }
}
