package hermit.config;

import hermit.problem.FieldError;
import hermit.problem.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// The variables of the process, and behind them those of `.env`: where both name one, the process wins. An empty
/// variable counts as absent.
final class Environment {
    /// Every variable that the gateway or the command line reads.
    private static final Set<String> KNOWN = Set.of(
            "HERMIT_HOME",
            "HERMIT_ADMIN_TOKEN",
            "HERMIT_URL",
            "HERMIT_TOKEN",
            "HERMIT_AGENT",
            "DATABASE_URL",
            "E2B_API_KEY",
            "E2B_API_URL",
            "E2B_API_VERSION",
            "E2B_DOMAIN",
            "E2B_SANDBOX_URL",
            "DAYTONA_API_KEY",
            "DAYTONA_API_URL",
            "DAYTONA_TARGET",
            "TENKI_AUTH_TOKEN",
            "TENKI_API_KEY",
            "TENKI_API_ENDPOINT",
            "TENKI_API_URL",
            "DOCKER_HOST",
            "DOCKER_TLS_VERIFY",
            "DOCKER_CERT_PATH");

    private static final Predicate<String> CREDENTIAL = Pattern.compile(
                    "(?:^|_)(?:KEY|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?)(?:_|$)|DATABASE_URL",
                    Pattern.CASE_INSENSITIVE)
            .asPredicate();

    /// Where a value came from. Its text is meant for people.
    enum Origin {
        PROCESS("environment"),
        DOTENV(".env");

        private final String text;

        Origin(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private final Map<String, String> process;
    private final Map<String, String> dotenv;

    private Environment(Map<String, String> process, Map<String, String> dotenv) {
        this.process = Map.copyOf(process);
        this.dotenv = Map.copyOf(dotenv);
    }

    static Environment read(Home home, Map<String, String> process, List<FieldError> mistakes) {
        Map<String, String> dotenv =
                home.text(Home.DOTENV).map(text -> Dotenv.parse(text, mistakes)).orElse(Map.of());
        if (dotenv.keySet().stream().anyMatch(Environment::namesCredential)) home.mustBePrivate(Home.DOTENV);
        return new Environment(process, dotenv);
    }

    Optional<String> get(String name) {
        return origin(name).map(origin -> origin == Origin.PROCESS ? process.get(name) : dotenv.get(name));
    }

    Optional<Secret> secret(String name) {
        return get(name).map(Secret::new);
    }

    Optional<Origin> origin(String name) {
        if (!process.getOrDefault(name, "").isEmpty()) return Optional.of(Origin.PROCESS);
        if (!dotenv.getOrDefault(name, "").isEmpty()) return Optional.of(Origin.DOTENV);
        return Optional.empty();
    }

    /// Variables that nobody reads and that look like a slip of the pen: those of the process that start with
    /// `HERMIT_`, and all of `.env`.
    List<String> warnings() {
        var warnings = new ArrayList<String>();
        process.keySet().stream()
                .filter(name -> name.startsWith("HERMIT_"))
                .sorted()
                .forEach(name -> warn(name, Origin.PROCESS, warnings));
        dotenv.keySet().stream().sorted().forEach(name -> warn(name, Origin.DOTENV, warnings));
        return warnings;
    }

    /// Whether a variable of this name usually holds something that others must not see.
    static boolean namesCredential(String name) {
        return CREDENTIAL.test(name);
    }

    private static void warn(String name, Origin origin, List<String> warnings) {
        if (KNOWN.contains(name)) return;
        Nearest.to(name, KNOWN)
                .ifPresent(
                        near -> warnings.add("%s: nothing reads %s (did you mean %s?)".formatted(origin, name, near)));
    }
}
