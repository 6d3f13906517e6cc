package hermit.backend.tenki;

import hermit.config.CloudSettings;
import hermit.config.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/// Where Tenki is, with which key, and how long its answers are waited for.
///
/// - `callWithin`: for a call that should be answered at once.
/// - `createWithin`: for the answer to a create, which comes before the machine runs.
/// - `pauseWithin`: a pause is answered when the memory has been saved; 41 s were seen.
/// - `startWithin`: until a machine that was made or resumed runs.
/// - `readyWithin`: until a machine that runs can be entered.
/// - `abortAfter`: so long after a program's limit an answer is waited for.
record TenkiSettings(
        Optional<Secret> token,
        URI endpoint,
        Duration callWithin,
        Duration createWithin,
        Duration pauseWithin,
        Duration startWithin,
        Duration readyWithin,
        Duration abortAfter) {
    private static final URI PUBLIC = URI.create("https://api.tenki.cloud");

    static TenkiSettings of(CloudSettings.Tenki settings) {
        return of(settings.token(), settings.apiEndpoint().orElse(PUBLIC));
    }

    static TenkiSettings of(Optional<Secret> token, URI endpoint) {
        return new TenkiSettings(
                token,
                endpoint,
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                Duration.ofMinutes(5),
                Duration.ofMinutes(3),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5));
    }
}
