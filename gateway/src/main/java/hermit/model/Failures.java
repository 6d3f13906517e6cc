package hermit.model;

import hermit.config.Secret;
import hermit.json.Json;
import hermit.turn.ModelFailure;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What went wrong with a model, in words that everybody who talks to an agent may read: no address, and
/// never the key. The log has more.
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final int SHOWN = 300;
    /// What a provider says in the middle of an answer and does not mean for ever.
    private static final List<String> PASSING =
            List.of("overloaded_error", "rate_limit_error", "api_error", "timeout_error", "server_error");

    private final String model;
    private final Optional<String> key;
    private final InstantSource clock;

    Failures(String model, Optional<Secret> key, InstantSource clock) {
        this.model = model;
        this.key = key.map(Secret::reveal);
        this.clock = clock;
    }

    ModelFailure brokenOff() {
        return ModelFailure.passing("The answer broke off in the middle", Optional.empty());
    }

    ModelFailure of(Throwable error) {
        LOG.warn("model {}: {}", model, clean(chain(error)));
        for (Throwable each = error; each != null; each = each.getCause()) {
            if (each instanceof ModelHttp.Refusal refusal) return refused(refusal);
            if (each instanceof IOException broken) return broken(broken);
        }
        String said = String.valueOf(error.getMessage());
        if (PASSING.stream().anyMatch(said::contains))
            return ModelFailure.passing("The provider has given up in the middle: " + shown(said), Optional.empty());
        return ModelFailure.lasting("The provider's answer cannot be used: " + shown(said));
    }

    private ModelFailure refused(ModelHttp.Refusal refusal) {
        int status = refusal.statusCode();
        String said = shown(String.valueOf(refusal.getMessage()));
        if (status == 429) return ModelFailure.passing("The provider has too much to do (429)", retryAfter(refusal));
        if (status >= 500 || status == 408)
            return ModelFailure.passing("The provider has failed (%d)".formatted(status), retryAfter(refusal));
        if (status == 401 || status == 403)
            return ModelFailure.lasting("The provider does not accept the key (%d)".formatted(status));
        return ModelFailure.lasting("The provider has refused the request (%d): %s".formatted(status, said));
    }

    private ModelFailure broken(IOException error) {
        return switch (error) {
            case ModelHttp.TooLarge _ ->
                ModelFailure.lasting("The answer is far larger than its limit of tokens allows");
            case ModelHttp.NotSecure _ ->
                ModelFailure.lasting("No secure connection to the provider can be had: its certificate is not"
                        + " accepted, or it does not speak TLS");
            case ConnectException _, HttpConnectTimeoutException _ ->
                ModelFailure.passing("The provider cannot be reached", Optional.empty());
            case HttpTimeoutException _ ->
                ModelFailure.passing("The provider has not answered in time", Optional.empty());
            default -> brokenOff();
        };
    }

    /// Seconds, or a date.
    private Optional<Duration> retryAfter(ModelHttp.Refusal refusal) {
        return refusal.retryAfter().map(String::strip).flatMap(text -> {
            if (text.matches("[0-9]{1,9}")) return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
            try {
                var at = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
                var wait = Duration.between(clock.instant(), at);
                return Optional.of(wait.isNegative() ? Duration.ZERO : wait);
            } catch (DateTimeException e) {
                return Optional.empty();
            }
        });
    }

    /// The provider's own words, where it has put them in the usual place.
    private String shown(String said) {
        String words = said;
        try {
            if (Json.object(said).get("error") instanceof Map<?, ?> error
                    && error.get("message") instanceof String text) words = text;
        } catch (Json.Broken e) {
            LOG.debug("model {} has refused in words of its own", model);
        }
        String clean = clean(words);
        return clean.length() <= SHOWN ? clean : clean.substring(0, SHOWN) + "…";
    }

    private String clean(String text) {
        String clean = text.replaceAll("\\p{Cntrl}+", " ");
        return key.map(secret -> clean.replace(secret, "(hidden)")).orElse(clean);
    }

    private static String chain(@Nullable Throwable error) {
        var text = new StringBuilder();
        for (Throwable each = error; each != null; each = each.getCause())
            text.append(text.isEmpty() ? "" : ", by ").append(each);
        return text.toString();
    }
}
