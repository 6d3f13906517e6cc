package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of `hermit tokens`.
final class Tokens {
    private Tokens() {}

    /// The person, channel or agent that a token stands for.
    private static String holder(JsonNode token) {
        var field = switch (token.path("kind").asText()) {
            case "user" -> "user_id";
            case "channel" -> "channel";
            default -> "agent_uid";
        };
        return Details.value(token.path(field));
    }

    @Command(name = "list", description = "Lists the tokens in force: everybody's for the admin, their own for people.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private LimitOption limit = new LimitOption();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode tokens = cli.list(GatewayClient.path("tokens"), "", limit.most());
            var table =
                    new Table("TOKEN ID", "KIND", "STANDS FOR", "SCOPE", "ENDS WITH", "EXPIRES", "LAST USED", "NAME");
            for (JsonNode token : tokens.path("items"))
                table.row(
                        Details.value(token.path("id")),
                        Details.value(token.path("kind")),
                        holder(token),
                        Details.value(token.path("scope")),
                        Details.value(token.path("hint")),
                        Details.value(token.path("expires_at")),
                        Details.value(token.path("last_used_at")),
                        Details.value(token.path("name")));
            cli.output().result(tokens, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "create",
            description = {
                "Makes a token and prints its secret, this once.",
                "",
                "Without --user, --channel or --agent it stands for yourself. Only the admin makes tokens for others.",
                ""
            })
    static final class Create implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "NAME", description = "What it is for, to know it again in a list.")
        private String name = "";

        @ArgGroup
        private Holder holder = new Holder();

        @Option(names = "--scope", paramLabel = "SCOPE", description = "full, or read for one that changes nothing.")
        private Optional<String> scope = Optional.empty();

        @Option(names = "--expires-in-days", paramLabel = "N", description = "Default: when it is revoked.")
        private Optional<Integer> expiresInDays = Optional.empty();

        static final class Holder {
            @Option(names = "--user", paramLabel = "USER_ID", description = "For a person.")
            private Optional<String> user = Optional.empty();

            @Option(names = "--channel", paramLabel = "CHANNEL", description = "For an adapter of a channel.")
            private Optional<String> channel = Optional.empty();

            @Option(names = "--agent", paramLabel = "ID", description = "For the programs of an agent.")
            private Optional<String> agent = Optional.empty();
        }

        Create(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode body = JsonTree.object().put("name", name);
            holder.user.ifPresent(id -> body.put("user_id", id));
            holder.channel.ifPresent(channel -> body.put("channel", channel));
            holder.agent.ifPresent(id -> body.put("agent_id", id));
            scope.ifPresent(word -> body.put("scope", word));
            expiresInDays.ifPresent(days -> body.put("expires_in_days", days));
            JsonNode token = cli.gateway().post(GatewayClient.path("tokens"), body);
            cli.output().result(token, token.path("secret").asText());
            cli.output()
                    .note("Token %s stands for the %s %s. Its secret is not shown again"
                            .formatted(
                                    token.path("id").asText(),
                                    token.path("kind").asText(),
                                    holder(token)));
            return ExitCode.OK;
        }
    }

    @Command(name = "revoke", description = "Takes a token back at once.")
    static final class Revoke implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "TOKEN_ID", description = "As 'tokens list' shows it; never the secret.")
        private String id = "";

        Revoke(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            cli.gateway().delete(GatewayClient.path("tokens", id));
            cli.output().result(JsonTree.object().put("revoked", id), "Revoked token %s".formatted(id));
            return ExitCode.OK;
        }
    }
}
