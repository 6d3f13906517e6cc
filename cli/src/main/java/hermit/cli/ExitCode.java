package hermit.cli;

import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;

/// What `hermit` exits with; `docs/cli.md` promises these numbers. `sandbox exec` exits with the code of the
/// command instead, and with [#NOT_RUN] when there is none.
final class ExitCode {
    static final int OK = 0;
    /// The gateway refused: a 4xx.
    static final int REFUSED = 1;
    /// The arguments make no sense.
    static final int USAGE = 2;
    static final int UNREACHABLE = 3;
    /// The gateway or what is behind it failed: a 5xx.
    static final int FAILED = 4;
    /// Something on this machine is not right: a token file open to others, a gateway that does not start, a
    /// finding of `doctor`.
    static final int LOCAL = 5;
    /// The configuration has mistakes (`EX_CONFIG` of sysexits.h, which the gateway itself exits with).
    static final int CONFIG = 78;
    /// The command of `sandbox exec` did not run, or how it ended is unknown. 125 is what `env`, `timeout` and
    /// `docker run` use.
    static final int NOT_RUN = 125;
    /// Whoever read our output has gone: 128 + SIGPIPE.
    static final int OUTPUT_CLOSED = 141;

    private ExitCode() {}

    static int of(GatewayClientException failure) {
        return switch (failure) {
            case Unreachable _ -> UNREACHABLE;
            case Refused refused -> refused.status() >= 500 ? FAILED : REFUSED;
        };
    }
}
