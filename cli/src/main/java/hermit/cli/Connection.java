package hermit.cli;

import hermit.api.GatewayClient;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/// Which gateway is called, and as whom: `HERMIT_URL`, or the gateway of this machine, with `HERMIT_TOKEN`,
/// the token that `hermit login` keeps for this address, or the admin token of this machine.
///
/// - `tokenFrom`: the variable or file that the token comes from; empty where there is none.
record Connection(URI address, Optional<String> token, String tokenFrom) {

    static Connection of(Surroundings surroundings, HermitHome home) throws CliFailure {
        URI address = address(surroundings, home);
        Optional<String> token = surroundings.variable("HERMIT_TOKEN");
        if (token.isPresent()) return new Connection(address, token, "HERMIT_TOKEN");
        SecretFile login = home.login(address);
        Optional<String> kept = login.read();
        if (kept.isPresent()) return new Connection(address, kept, login.path().toString());
        // The token of this machine's gateway is for this machine: a HERMIT_URL that points elsewhere never gets to see
        // it.
        return surroundings.variable("HERMIT_URL").isEmpty() || isLoopback(address)
                ? asAdmin(address, surroundings, home)
                : new Connection(address, Optional.empty(), "");
    }

    /// Which gateway is called, whether or not there is a token for it.
    static URI address(Surroundings surroundings, HermitHome home) throws CliFailure {
        Optional<String> given = surroundings.variable("HERMIT_URL");
        return given.isPresent() ? parse(given.get()) : home.gatewayAddress();
    }

    /// The gateway of this home, as its admin, whatever `HERMIT_URL` says.
    static Connection ofThisMachine(Surroundings surroundings, HermitHome home) throws CliFailure {
        return asAdmin(home.gatewayAddress(), surroundings, home);
    }

    /// As the gateway looks for it: what the operator has set comes before what its first start has made.
    private static Connection asAdmin(URI address, Surroundings surroundings, HermitHome home) throws CliFailure {
        Optional<String> set = surroundings.variable("HERMIT_ADMIN_TOKEN");
        if (set.isPresent()) return new Connection(address, set, "HERMIT_ADMIN_TOKEN");
        Optional<String> made = home.adminToken().read();
        return new Connection(address, made, made.isPresent() ? home.tokenFile().toString() : "");
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
