package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `hermit audit list` and `verify`.
final class Audit {
    private Audit() {}

    @Command(
            name = "list",
            description = {
                "Lists what was done, newest first: the last 50 records, or as many as --limit says.",
                "",
                "All of it is for the admin; owners see what was done to their agent, with --agent.",
                ""
            })
    static final class ListThem implements Callable<Integer> {
        private static final int USUAL = 50;

        /// How the API tells an agent's uid from its id.
        private static final Pattern UID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

        private final CliContext cli;

        @Option(
                names = "--agent",
                paramLabel = "ID",
                description = "What was done to this agent; to one that is gone: its uid. Default: all.")
        private Optional<String> agent = Optional.empty();

        @Option(
                names = "--user",
                paramLabel = "WHO",
                description = "By this person's id, or as records name callers, such as admin.")
        private Optional<String> user = Optional.empty();

        @Option(
                names = "--action",
                paramLabel = "ACTION",
                description = "Such as agents.create, or agents for all of them.")
        private Optional<String> action = Optional.empty();

        @Option(names = "--since", paramLabel = "TIME", description = "Such as 2026-11-01T10:00:00Z.")
        private Optional<String> since = Optional.empty();

        @Option(names = "--until", paramLabel = "TIME", description = "Such as 2026-11-02T10:00:00Z.")
        private Optional<String> until = Optional.empty();

        @Mixin
        private LimitOption limit = new LimitOption();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var filter = new StringBuilder();
            boolean gone = agent.filter(id -> UID.matcher(id).matches()).isPresent();
            if (gone) add(filter, "agent", agent);
            add(filter, "user", user);
            add(filter, "action", action);
            add(filter, "since", since);
            add(filter, "until", until);
            var path = agent.isEmpty() || gone
                    ? GatewayClient.path("audit")
                    : GatewayClient.path("agents", agent.get(), "audit");
            ObjectNode records = cli.list(path, filter.toString(), limit.most(USUAL));
            var table = new Table("AT", "WHO", "ADDRESS", "ACTION", "RESULT", "TARGET");
            for (JsonNode each : records.path("items"))
                table.row(
                        Details.value(each.path("at")),
                        Details.value(each.path("who")),
                        Details.value(each.path("address")),
                        Details.value(each.path("action")),
                        Details.value(each.path("result")),
                        Details.value(each.path("target")));
            cli.output().result(records, table.render(cli.output().colours()));
            return ExitCode.OK;
        }

        private static void add(StringBuilder filter, String name, Optional<String> value) {
            value.ifPresent(text -> filter.append('&').append(name).append('=').append(GatewayClient.encode(text)));
        }
    }

    record Verify(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            JsonNode found = cli.gateway().compute(GatewayClient.path("audit", "verify"));
            boolean intact = found.path("state").asText().equals("intact");
            var table = new Table("GATEWAY", "RECORDS", "FIRST BROKEN");
            for (JsonNode chain : found.path("chains"))
                table.row(
                        Details.value(chain.path("gateway")),
                        Details.value(chain.path("records")),
                        Details.value(chain.path("first_broken")));
            cli.output().result(found, table.render(cli.output().colours()));
            if (!intact) cli.output().note("The audit is %s".formatted(Details.value(found.path("state"))));
            return intact ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
