package hermit.cli;

import hermit.api.GatewayClient;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/// Which gateway is called, and as whom: `HERMIT_URL` and `HERMIT_TOKEN`, or the gateway of this machine with its
/// admin token.
record Connection(URI address, Optional<String> token) {

    static Connection of(Surroundings surroundings, HermitHome home) throws CliFailure {
        Optional<String> given = surroundings.variable("HERMIT_URL");
        URI address = given.isPresent() ? parse(given.get()) : home.gatewayAddress();
        Optional<String> token = surroundings.variable("HERMIT_TOKEN");
        // The token of this machine's gateway is for this machine: a HERMIT_URL that points elsewhere never gets to see
        // it.
        if (token.isEmpty() && (given.isEmpty() || isLoopback(address))) token = adminToken(surroundings, home);
        return new Connection(address, token);
    }

    /// The gateway of this home, as its admin, whatever `HERMIT_URL` says.
    static Connection ofThisMachine(Surroundings surroundings, HermitHome home) throws CliFailure {
        return new Connection(home.gatewayAddress(), adminToken(surroundings, home));
    }

    /// As the gateway looks for it: what the operator has set comes before what its first start has made.
    private static Optional<String> adminToken(Surroundings surroundings, HermitHome home) throws CliFailure {
        Optional<String> set = surroundings.variable("HERMIT_ADMIN_TOKEN");
        return set.isPresent() ? set : home.adminToken();
    }

    GatewayClient client() {
        return new GatewayClient(address, token);
    }

    private static URI parse(String text) throws CliFailure {
        try {
            var address = new URI(text);
            var scheme = address.getScheme();
            if (address.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
                if (address.getRawUserInfo() == null
                        && address.getRawQuery() == null
                        && address.getRawFragment() == null) return address;
            }
        } catch (URISyntaxException e) {
            throw CliFailure.usage("HERMIT_URL is not an address: " + e.getMessage());
        }
        throw CliFailure.usage("HERMIT_URL is '%s', but must be like http://127.0.0.1:4000".formatted(text));
    }

    private static boolean isLoopback(URI address) {
        String host = address.getHost();
        return host.equals("localhost") || host.equals("[::1]") || host.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
    }
}
