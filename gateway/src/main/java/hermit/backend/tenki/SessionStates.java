package hermit.backend.tenki;

import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import hermit.backend.cloud.CloudMachine;
import hermit.exec.LiveState.State;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.SessionState;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Tenki's words for a session, in ours.
final class SessionStates {
    private static final String PREFIX = "SESSION_STATE_";

    private SessionStates() {}

    static CloudMachine machine(SandboxSession session) {
        return new CloudMachine(
                session.getId(),
                state(session.getState()),
                detail(session),
                session.getMetadataMap(),
                session.hasCreatedAt() ? instant(session.getCreatedAt()) : Optional.empty(),
                Map.of());
    }

    /// Ended, or about to.
    static boolean isOver(SessionState state) {
        return state == SessionState.SESSION_STATE_TERMINATING || state == SessionState.SESSION_STATE_TERMINATED;
    }

    /// Can be resumed.
    static boolean isParked(SessionState state) {
        return state == SessionState.SESSION_STATE_PAUSED || state == SessionState.SESSION_STATE_USER_SHUTDOWN;
    }

    static boolean runs(SandboxSession session) {
        return session.getState() == SessionState.SESSION_STATE_RUNNING;
    }

    /// Why it is as it is, if Tenki says so.
    static String reason(SandboxSession session) {
        String reason = isOver(session.getState()) ? session.getTerminalError() : session.getLastResumeError();
        return reason.isEmpty() ? "Tenki does not say why" : CallFailed.plain(reason);
    }

    static String word(SandboxSession session) {
        var state = session.getState();
        if (state == SessionState.UNRECOGNIZED) return "in state " + session.getStateValue();
        return state.name().substring(PREFIX.length()).toLowerCase(Locale.ROOT);
    }

    static Optional<Instant> timeoutAt(SandboxSession session) {
        return session.hasTimeoutAt() ? instant(session.getTimeoutAt()) : Optional.empty();
    }

    /// Empty for what is no time.
    static Optional<Instant> instant(Timestamp timestamp) {
        try {
            return Optional.of(Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos()));
        } catch (DateTimeException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    static Duration duration(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.toSeconds())
                .setNanos(duration.toNanosPart())
                .build();
    }

    private static State state(SessionState state) {
        return switch (state) {
            case SESSION_STATE_CREATING, SESSION_STATE_RESUMING -> State.STARTING;
            case SESSION_STATE_RUNNING -> State.RUNNING;
            case SESSION_STATE_PAUSING, SESSION_STATE_TERMINATING -> State.STOPPING;
            case SESSION_STATE_PAUSED -> State.PAUSED;
            case SESSION_STATE_USER_SHUTDOWN -> State.STOPPED;
            case SESSION_STATE_TERMINATED -> State.ABSENT;
            // Not an error: what it means is not known, and it is not taken for parked either.
            case SESSION_STATE_UNSPECIFIED, UNRECOGNIZED -> State.UNKNOWN;
        };
    }

    private static String detail(SandboxSession session) {
        String word = word(session);
        return session.getLastResumeError().isEmpty() ? word : word + ": " + reason(session);
    }
}
