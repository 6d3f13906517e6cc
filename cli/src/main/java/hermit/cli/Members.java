package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of `hermit members`.
final class Members {
    private Members() {}

    private static String path(String agent) {
        return GatewayClient.path("agents", agent, "members");
    }

    private static String path(String agent, String user) {
        return GatewayClient.path("agents", agent, "members", user);
    }

    /// Says what somebody is to an agent now.
    private static void tell(CliContext cli, String agent, JsonNode member) {
        cli.output()
                .result(
                        member,
                        "'%s' (%s) is %s of agent '%s'"
                                .formatted(
                                        Output.printable(
                                                member.path("user").path("name").asText()),
                                        member.path("user").path("id").asText(),
                                        member.path("role").asText(),
                                        agent));
    }

    @Command(name = "list", description = "Lists who belongs to an agent.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Mixin
        private LimitOption limit = new LimitOption();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode members = cli.list(path(agent.in(cli)), "", limit.most());
            var table = new Table("USER ID", "NAME", "ROLE", "SINCE", "KNOWN AS");
            for (JsonNode member : members.path("items"))
                table.row(
                        Details.value(member.path("user").path("id")),
                        Details.value(member.path("user").path("name")),
                        Details.value(member.path("role")),
                        Details.value(member.path("since")),
                        Users.knownAs(member.path("user")));
            cli.output().result(members, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "add",
            description = {
                "Adds a member: a person, or whoever is known so on a channel.",
                "",
                "Whoever was never seen on that channel becomes a person by it. A member stays what they are.",
                ""
            })
    static final class Add implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "USER_ID", arity = "0..1", description = "Or --channel and --channel-user-id.")
        private Optional<String> user = Optional.empty();

        @Mixin
        private IdentityOption identity = new IdentityOption();

        @Option(names = "--role", paramLabel = "ROLE", required = true, description = "owner, user or guest.")
        private String role = "";

        Add(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            if (user.isPresent() == identity.given())
                throw CliFailure.usage("Say whom to add: either USER_ID, or --channel and --channel-user-id");
            ObjectNode body = JsonTree.object().put("role", role);
            user.ifPresent(id -> body.put("user_id", id));
            if (identity.given()) identity.into(body);
            var owner = agent.in(cli);
            JsonNode member = cli.gateway().post(path(owner), body);
            tell(cli, owner, member);
            if (!member.path("role").asText().equals(role))
                cli.output().note("They were a member already; 'hermit members set' gives another role");
            return ExitCode.OK;
        }
    }

    @Command(name = "set", description = "Gives a member another role.")
    static final class Set implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "USER_ID")
        private String user = "";

        @Option(names = "--role", paramLabel = "ROLE", required = true, description = "owner, user or guest.")
        private String role = "";

        Set(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var owner = agent.in(cli);
            tell(
                    cli,
                    owner,
                    cli.gateway().put(path(owner, user), JsonTree.object().put("role", role)));
            return ExitCode.OK;
        }
    }

    @Command(name = "remove", description = "Takes a member's role away. The last owner stays.")
    static final class Remove implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "USER_ID")
        private String user = "";

        Remove(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var owner = agent.in(cli);
            cli.gateway().delete(path(owner, user));
            cli.output()
                    .result(
                            JsonTree.object().put("agent_id", owner).put("removed", user),
                            "Removed user %s from agent '%s'".formatted(user, owner));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "join",
            description = "Joins a protected agent as a user. Its access token is asked for, or read from stdin.")
    static final class Join implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        Join(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var accessToken = new SecretInput(cli.surroundings()).accessToken();
            var wanted = agent.in(cli);
            tell(cli, wanted, cli.gateway().post(path(wanted), JsonTree.object().put("access_token", accessToken)));
            return ExitCode.OK;
        }
    }
}
