package hermit.backend.e2b;

import hermit.backend.cloud.CloudMachine;
import hermit.config.CloudSettings;
import hermit.problem.GatewayException.ProviderError;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.regex.Pattern;

/// Where the daemon of one sandbox is, and what it wants to see.
///
/// - `token`: secret.
/// - `version`: of the daemon; empty if the provider does not say.
record DaemonAddress(URI base, String sandbox, Optional<String> token, Optional<String> version) {
    private static final int PORT = 49_983;
    private static final Pattern DOMAIN =
            Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?");

    /// The setting wins over what the provider says, and that over the configured domain. A control plane of one's own
    /// that names no domain is not followed to E2B's: the token would go to somebody else.
    static DaemonAddress of(CloudSettings.E2b settings, CloudMachine machine) {
        var access = machine.access();
        return new DaemonAddress(
                settings.sandboxUrl()
                        .orElseGet(() -> URI.create(
                                "https://%d-%s.%s".formatted(PORT, machine.id(), domain(settings, machine)))),
                machine.id(),
                Optional.ofNullable(access.get(SandboxJson.TOKEN)),
                Optional.ofNullable(access.get(SandboxJson.DAEMON)));
    }

    /// A request with all that the edge and the daemon ask for.
    HttpRequest.Builder request(String path) {
        var request = Calls.to(base, path)
                .setHeader("E2b-Sandbox-Id", sandbox)
                .setHeader("E2b-Sandbox-Port", Integer.toString(PORT));
        token.ifPresent(secret -> request.setHeader("X-Access-Token", secret));
        return request;
    }

    /// Whether the daemon takes the bytes of a file as they are; unknown versions are new.
    boolean takesRawFiles() {
        return version.map(text -> compare(text, 0, 5, 7) >= 0).orElse(true);
    }

    /// Without the token.
    @Override
    public String toString() {
        return base.toString();
    }

    private static String domain(CloudSettings.E2b settings, CloudMachine machine) {
        var domain =
                Optional.ofNullable(machine.access().get(SandboxJson.DOMAIN)).or(settings::domain);
        if (domain.isEmpty() && settings.apiUrl().isPresent())
            throw new ProviderError("E2B at %s does not say where sandbox %s is: set E2B_DOMAIN or E2B_SANDBOX_URL"
                    .formatted(settings.apiUrl().get().getHost(), machine.id()));
        String name = domain.orElse(ControlPlane.DEFAULT_DOMAIN);
        if (!DOMAIN.matcher(name).matches()) throw new ProviderError("E2B names a domain that is none");
        return name;
    }

    private static int compare(String version, int... other) {
        String[] parts = version.split("[^0-9]+", -1);
        for (int i = 0; i < other.length; i++) {
            int own = i < parts.length && parts[i].matches("[0-9]{1,6}") ? Integer.parseInt(parts[i]) : 0;
            if (own != other[i]) return Integer.compare(own, other[i]);
        }
        return 0;
    }
}
