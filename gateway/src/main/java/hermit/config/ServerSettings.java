package hermit.config;

import hermit.problem.Fields;
import java.util.List;
import java.util.Locale;

/// Where the gateway listens, and whom it answers.
///
/// - `port`: 0 means any free one.
/// - `allowedOrigins`: web pages of other origins that may call the API from a browser.
/// - `allowedHosts`: names, beside the address it listens on, by which the gateway may be called.
/// - `trustedProxies`: addresses or networks whose `X-Forwarded-For` is believed.
public record ServerSettings(
        String host,
        int port,
        List<String> allowedOrigins,
        List<String> allowedHosts,
        List<String> trustedProxies,
        AgentCreation agentCreation) {

    /// Who may create agents.
    public enum AgentCreation {
        USERS,
        ADMIN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public ServerSettings {
        allowedOrigins = List.copyOf(allowedOrigins);
        allowedHosts = List.copyOf(allowedHosts);
        trustedProxies = List.copyOf(trustedProxies);
    }

    /// Whether only this machine can reach it.
    public boolean isLoopback() {
        return Addresses.isLoopback(host);
    }

    /// Reads the block `server`; defaults where it is silent.
    static ServerSettings read(Fields document) {
        Fields block = document.nested("server").orElseGet(Blocks::empty);
        String host = block.text("host").orElse("127.0.0.1");
        if (!Addresses.isHost(host)) block.mistake("host", "must be a host name or an IP address");
        var settings = new ServerSettings(
                host,
                Blocks.number(block, "port", 0, 65_535, 4_000),
                Addresses.list(
                        block, "allowed_origins", Addresses::isOrigin, "must be an origin such as https://example.org"),
                Addresses.list(block, "allowed_hosts", Addresses::isHost, "must be a host name or an IP address"),
                Addresses.list(
                        block,
                        "trusted_proxies",
                        Addresses::isNetwork,
                        "must be an IP address or a network such as 10.0.0.0/8"),
                block.word("agent_creation", AgentCreation.class).orElse(AgentCreation.USERS));
        block.close();
        return settings;
    }
}
