package hermit.config;

import hermit.problem.FieldError;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Addresses and credentials of the cloud providers, from the environment. Where a credential is missing, the
/// gateway starts all the same: only the sandboxes that need it say so.
public record CloudSettings(E2b e2b, Daytona daytona, Tenki tenki) {
    private static final String WEB = "must be an http or https address without credentials";
    private static final Set<String> VERSIONS = Set.of("v1", "v2");
    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /// - `apiVersion`: of the control plane's create and connect.
    /// - `sandboxUrl`: replaces the address of every sandbox's own API.
    public record E2b(
            Optional<Secret> apiKey,
            Optional<URI> apiUrl,
            Optional<E2bVersion> apiVersion,
            Optional<String> domain,
            Optional<URI> sandboxUrl) {}

    /// Servers that one runs oneself may only have the older one.
    public enum E2bVersion {
        V1,
        V2;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// `target`: the region to create sandboxes in.
    public record Daytona(Optional<Secret> apiKey, Optional<URI> apiUrl, Optional<String> target) {}

    /// - `token`: `TENKI_AUTH_TOKEN`, or else `TENKI_API_KEY`; one of spaces alone counts as absent.
    /// - `apiEndpoint`: `TENKI_API_ENDPOINT`, or else `TENKI_API_URL`.
    public record Tenki(Optional<Secret> token, Optional<URI> apiEndpoint) {}

    static CloudSettings read(Environment environment, List<FieldError> mistakes) {
        return new CloudSettings(
                new E2b(
                        environment.secret("E2B_API_KEY"),
                        url(environment, "E2B_API_URL", mistakes),
                        word(environment, "E2B_API_VERSION", VERSIONS::contains, "must be v1 or v2", mistakes)
                                .map(text -> E2bVersion.valueOf(text.toUpperCase(Locale.ROOT))),
                        word(environment, "E2B_DOMAIN", Addresses::isHost, "must be a host name", mistakes),
                        url(environment, "E2B_SANDBOX_URL", mistakes)),
                new Daytona(
                        environment.secret("DAYTONA_API_KEY"),
                        url(environment, "DAYTONA_API_URL", mistakes),
                        word(
                                environment,
                                "DAYTONA_TARGET",
                                text -> REGION.matcher(text).matches(),
                                "must be the name of a region",
                                mistakes)),
                new Tenki(
                        token(environment, "TENKI_AUTH_TOKEN").or(() -> token(environment, "TENKI_API_KEY")),
                        url(environment, "TENKI_API_ENDPOINT", mistakes)
                                .or(() -> url(environment, "TENKI_API_URL", mistakes))));
    }

    private static Optional<Secret> token(Environment environment, String name) {
        return environment
                .get(name)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .map(Secret::new);
    }

    private static Optional<URI> url(Environment environment, String name, List<FieldError> mistakes) {
        Optional<String> text = environment.get(name);
        Optional<URI> url = text.flatMap(Addresses::web);
        if (text.isPresent() && url.isEmpty()) mistakes.add(new FieldError(name, WEB));
        return url;
    }

    private static Optional<String> word(
            Environment environment, String name, Predicate<String> fits, String shape, List<FieldError> mistakes) {
        Optional<String> text = environment.get(name);
        if (text.isPresent() && !fits.test(text.get())) mistakes.add(new FieldError(name, shape));
        return text.filter(fits);
    }
}
