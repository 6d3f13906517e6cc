package hermit.fake.daytona;

import java.time.Duration;
import java.util.OptionalLong;

/// How a fake begins.
///
/// - `apiKey`: the only one that it accepts. A made-up word, never a real key.
/// - `image`: of the local engine, for every sandbox.
/// - `port`: 0 for any that is free.
/// - `hold`: how long create, start and recover wait for a sandbox to run before they answer; the service
/// waits 30 s.
/// - `memory`: what a sandbox may use, in bytes, whatever was asked for.
/// - `oldDaemon`: whether the daemon is one of 0.190 and before: no create-connect, errors of files without
/// a body.
public record Settings(String apiKey, String image, int port, Duration hold, OptionalLong memory, boolean oldDaemon) {
    public static final String API_KEY = "dtn_test_key";
    private static final Duration HOLD = Duration.ofSeconds(30);

    public static Settings of(String image) {
        return new Settings(API_KEY, image, 0, HOLD, OptionalLong.empty(), false);
    }

    public Settings withPort(int port) {
        return new Settings(apiKey, image, port, hold, memory, oldDaemon);
    }

    public Settings withHold(Duration hold) {
        return new Settings(apiKey, image, port, hold, memory, oldDaemon);
    }

    public Settings withMemory(long bytes) {
        return new Settings(apiKey, image, port, hold, OptionalLong.of(bytes), oldDaemon);
    }

    public Settings withOldDaemon() {
        return new Settings(apiKey, image, port, hold, memory, true);
    }

    /// Without the key.
    @Override
    public String toString() {
        return "Settings[image=%s, port=%d]".formatted(image, port);
    }
}
