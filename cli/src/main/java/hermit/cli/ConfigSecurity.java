package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// The commands of `hermit config security`. Which policies are right is decided by the gateway, which takes
/// whole ones only.
final class ConfigSecurity {
    private static final String ACCESS_TOKEN = "access_token";

    /// Shown in place of the access token, and nothing that one could write.
    private static final String ACCESS_TOKEN_SET = "access_token_set";

    private static final String EXAMPLE =
            "{\"access\":\"private\",\"autonomy_level\":\"supervised\",\"require_approval_for\":[\"exec\"]}";

    private ConfigSecurity() {}

    private static String path(String agent) {
        return GatewayClient.path("agents", agent, "security");
    }

    private static void replace(CliContext cli, String agent, ObjectNode policy) throws Exception {
        policy.remove(ACCESS_TOKEN_SET);
        JsonNode inForce = cli.gateway().put(path(agent), policy);
        cli.output()
                .result(
                        inForce,
                        "The security policy of agent '%s' is now\n".formatted(agent) + JsonTree.pretty(inForce));
    }

    @Command(name = "show", description = "Shows an agent's security policy, without its access token.")
    static final class Show implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        Show(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            cli.output().document(cli.gateway().get(path(agent.in(cli))));
            return ExitCode.OK;
        }
    }

    @Command(name = "get", description = "Prints one field of an agent's security policy, as JSON.")
    static final class Get implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "FIELD", description = "Such as access or require_approval_for.")
        private String field = "";

        Get(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode value = Settings.at(cli.gateway().get(path(agent.in(cli))), field);
            if (value.isMissingNode())
                throw new CliFailure(ExitCode.REFUSED, "not_found", "The policy shows no field '%s'".formatted(field));
            cli.output().document(value);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "set",
            description = {
                "Changes one field of an agent's security policy, at once.",
                "",
                "The value of access_token is asked for, or read from stdin: leave VALUE out, or say null to remove it.",
                ""
            })
    static final class Set implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(index = "0", paramLabel = "FIELD", description = "Such as access or require_approval_for.")
        private String field = "";

        @Parameters(index = "1", arity = "0..1", paramLabel = "VALUE", description = "JSON, or a text.")
        private Optional<String> value = Optional.empty();

        Set(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            if (field.equals(ACCESS_TOKEN_SET))
                throw CliFailure.usage("access_token_set follows from access_token: set that");
            JsonNode wanted = field.equals(ACCESS_TOKEN) ? accessToken() : given();
            var owner = agent.in(cli);
            replace(cli, owner, Settings.with(cli.gateway().get(path(owner)), field, wanted));
            return ExitCode.OK;
        }

        private JsonNode given() throws CliFailure {
            return JsonArgument.valueOrText(
                    value.orElseThrow(() -> CliFailure.usage("Give a VALUE for %s".formatted(field))));
        }

        private JsonNode accessToken() throws CliFailure {
            if (value.isEmpty()) return JsonTree.text(new SecretInput(cli.surroundings()).accessToken());
            if (value.get().equals("null")) return JsonTree.nothing();
            throw CliFailure.usage(
                    "An access_token is no argument, where others could read it: leave VALUE out and send it to stdin, or say null to remove it");
        }
    }

    @Command(
            name = "write",
            description = {
                "Replaces an agent's security policy by the one in a file, if all of it is right.",
                "",
                "An access_token that is not in it stays as it is; access_token_set, which 'show' prints, is passed over.",
                ""
            })
    static final class Write implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "FILE", description = "A policy as JSON; '-' for stdin.")
        private String file = "";

        Write(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            replace(cli, agent.in(cli), JsonArgument.object(file.equals("-") ? "stdin" : file, text(), EXAMPLE));
            return ExitCode.OK;
        }

        private String text() throws CliFailure {
            try {
                byte[] bytes =
                        file.equals("-") ? cli.surroundings().in().readAllBytes() : Files.readAllBytes(Path.of(file));
                return new String(bytes, StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw CliFailure.local("policy_unreadable", "read %s: %s".formatted(file, e.getMessage()));
            }
        }
    }
}
