package hermit.backend.tenki;

import hermit.exec.MachineGone;
import hermit.problem.GatewayException.ProviderError;
import hermit.tenki.wire.RunExit;
import java.io.IOException;

/// What an exit frame means. The order matters: a session that was torn down, and a guest that did not answer, have an
/// exit code too; a program whose time was up may have the code 0.
final class RunEnd {
    private static final int NOT_PERMITTED = 126;
    private static final int NOT_FOUND = 127;
    private static final int EACCES = 13;
    private static final int ENOENT = 2;
    private static final int BY_SIGNAL = 128;

    private RunEnd() {}

    /// The exit code, as a shell would have it, of a program that ran or could not be executed.
    static int code(String tried, RunExit exit) throws IOException, MachineGone {
        String reason = exit.getReason();
        if (reason.startsWith("session_terminated"))
            throw new MachineGone("%s: %s".formatted(tried, CallFailed.plain(reason)));
        if (reason.startsWith("first_frame_timeout"))
            throw new IOException("%s: %s".formatted(tried, CallFailed.plain(reason)));
        if (reason.startsWith("capability_unavailable"))
            throw new ProviderError("%s: %s".formatted(tried, CallFailed.plain(reason)));
        if (exit.getTimedOut()) throw new IOException("%s: its time was up".formatted(tried));
        return switch (exit.getErrno()) {
            case 0 -> exit.getSignal().isEmpty() ? exit.getExitCode() : BY_SIGNAL;
            case ENOENT -> NOT_FOUND;
            case EACCES -> NOT_PERMITTED;
            default -> throw new IOException("%s: it was not started (errno %d)".formatted(tried, exit.getErrno()));
        };
    }
}
