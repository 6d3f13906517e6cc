package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.Callable;

/// `hermit login`, `logout` and `whoami`.
final class Logging {
    private Logging() {}

    /// A token that the gateway does not know is not kept.
    record In(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            var surroundings = cli.surroundings();
            URI address = Connection.address(surroundings, cli.home());
            var token = new SecretInput(surroundings).token();
            JsonNode me = new GatewayClient(address, Optional.of(token)).get(GatewayClient.path("me"));
            SecretFile file = cli.home().login(address);
            file.write(token);
            ObjectNode document = JsonTree.object()
                    .put("url", address.toString())
                    .put("token_file", file.path().toString());
            document.set("me", me);
            cli.output().result(document, "Logged in at %s as %s".formatted(address, name(me)));
            if (surroundings.variable("HERMIT_TOKEN").isPresent())
                cli.output().note("HERMIT_TOKEN is set, and comes before this token");
            return ExitCode.OK;
        }
    }

    /// The token itself stays in force: `hermit tokens revoke` ends it.
    record Out(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            URI address = Connection.address(cli.surroundings(), cli.home());
            boolean there = cli.home().login(address).remove();
            cli.output()
                    .result(
                            JsonTree.object().put("url", address.toString()).put("logged_out", there),
                            (there ? "Logged out at %s" : "Nobody was logged in at %s").formatted(address));
            return ExitCode.OK;
        }
    }

    record WhoAmI(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            Connection connection = cli.connection();
            JsonNode me = connection.client().get(GatewayClient.path("me"));
            ObjectNode shown = JsonTree.object()
                    .put("name", name(me))
                    .put("caller", me.path("caller").asText())
                    .put("read_only", me.path("read_only").asBoolean())
                    .put("gateway", connection.address().toString())
                    .put("token_from", connection.tokenFrom());
            cli.output().result(me, Details.of(shown));
            return ExitCode.OK;
        }
    }

    /// What people call them, or else what records do.
    private static String name(JsonNode me) {
        return me.path("user").path("name").asText(me.path("caller").asText());
    }
}
