package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of `hermit sessions`, but for `events`.
final class Sessions {
    private Sessions() {}

    static String path(String agent, String... rest) {
        var segments = new ArrayList<>(List.of("agents", agent, "sessions"));
        segments.addAll(List.of(rest));
        return GatewayClient.path(segments.toArray(String[]::new));
    }

    @Command(name = "list", description = "Lists sessions, newest first: one's own, or all for owners and the admin.")
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
            ObjectNode sessions = cli.list(path(agent.in(cli)), "", limit.most());
            var table = new Table("SESSION ID", "STATE", "OWNER", "EVENTS", "CREATED", "LAST ACTIVE");
            for (JsonNode session : sessions.path("items"))
                table.row(
                        Details.value(session.path("session_id")),
                        Details.value(session.path("state")),
                        Details.value(session.path("owner")),
                        Details.value(session.path("last_event_id")),
                        Details.value(session.path("created_at")),
                        Details.value(session.path("last_active_at")));
            cli.output().result(sessions, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "open",
            description = {
                "Opens a session, or an earlier one again, and prints its id.",
                "",
                "With a channel's token, --channel and --channel-user-id say for whom it speaks.",
                ""
            })
    static final class Open implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Option(names = "--resume", paramLabel = "SESSION_ID", description = "An earlier session.")
        private Optional<String> resume = Optional.empty();

        @Option(names = "--metadata", paramLabel = "NAME=VALUE", description = "Information for those who read it.")
        private Map<String, String> metadata = new LinkedHashMap<>();

        @Mixin
        private IdentityOption sender = new IdentityOption();

        Open(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode body = JsonTree.object();
            resume.ifPresent(id -> body.put("session_id", id));
            body.putObject("source")
                    .put("kind", "cli")
                    .put("interactive", cli.surroundings().outIsTerminal());
            if (!metadata.isEmpty()) metadata.forEach(body.putObject("metadata")::put);
            if (sender.given()) sender.into(body.putObject("sender"));
            JsonNode session = cli.gateway().post(path(agent.in(cli)), body);
            cli.output().result(session, session.path("session_id").asText());
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Shows one session.")
    static final class Show implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "SESSION_ID")
        private String id = "";

        Show(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode session = cli.gateway().get(path(agent.in(cli), id));
            cli.output().result(session, Details.of(session));
            return ExitCode.OK;
        }
    }

    @Command(name = "end", description = "Ends a session. What waits for an approval in it is cancelled.")
    static final class End implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "SESSION_ID")
        private String id = "";

        End(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode session = cli.gateway().post(path(agent.in(cli), id, "end"));
            cli.output().result(session, "Session %s has ended".formatted(id));
            return ExitCode.OK;
        }
    }

    @Command(name = "delete", description = "Ends a session and forgets what was said in it.")
    static final class Delete implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Parameters(paramLabel = "SESSION_ID")
        private String id = "";

        Delete(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var owner = agent.in(cli);
            cli.gateway().delete(path(owner, id));
            cli.output()
                    .result(
                            JsonTree.object().put("agent_id", owner).put("deleted", id),
                            "Deleted session %s of agent '%s'".formatted(id, owner));
            return ExitCode.OK;
        }
    }
}
