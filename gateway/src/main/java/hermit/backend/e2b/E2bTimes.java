package hermit.backend.e2b;

import java.time.Duration;
import java.util.List;

/// How long the provider is waited for.
///
/// - `quick`: an answer to a call that changes little.
/// - `slow`: an answer to create, connect and pause, for which the provider gives itself 75 s.
/// - `mostRetryAfter`: the longest wait after a 429, all of one call together.
/// - `between`: pauses before a call is repeated that met a change in progress; then it is given up.
/// - `ready`: until the daemon of a sandbox that runs answers.
/// - `input`: until the daemon has taken a piece of stdin.
/// - `grace`: what a program's own limit is exceeded by before its stream is given up.
record E2bTimes(
        Duration quick,
        Duration slow,
        Duration mostRetryAfter,
        List<Duration> between,
        Duration ready,
        Duration input,
        Duration grace) {
    static final E2bTimes USUAL = new E2bTimes(
            Duration.ofSeconds(30),
            Duration.ofSeconds(90),
            Duration.ofSeconds(60),
            List.of(
                    Duration.ofMillis(500),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(4),
                    Duration.ofSeconds(8)),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5));

    E2bTimes {
        between = List.copyOf(between);
    }
}
