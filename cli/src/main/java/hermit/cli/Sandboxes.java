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

/// The commands of `hermit sandbox`, but for `exec`.
final class Sandboxes {
    static final String DEFAULT_ALIAS = "default";

    private Sandboxes() {}

    static String path(String agent, String alias, String... rest) {
        var segments = new String[4 + rest.length];
        segments[0] = "agents";
        segments[1] = agent;
        segments[2] = "sandboxes";
        segments[3] = alias;
        System.arraycopy(rest, 0, segments, 4, rest.length);
        return GatewayClient.path(segments);
    }

    /// The gateway's notes say what it had to do on the way, such as making the machine anew.
    private static void tell(CliContext cli, JsonNode done, String text) {
        for (JsonNode note : done.path("notes")) cli.output().note(note.asText());
        cli.output().result(done, text);
    }

    @Command(name = "list", description = "Lists an agent's sandboxes.")
    static final class ListThem implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        ListThem(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode rows = cli.list(GatewayClient.path("agents", agent.in(cli), "sandboxes"));
            var table = new Table("ALIAS", "TYPE", "STATUS", "RUNTIME", "EXTERNAL ID", "LAST SEEN");
            for (JsonNode row : rows.path("items"))
                table.row(
                        Details.value(row.path("alias")),
                        Details.value(row.path("type")),
                        Details.value(row.path("status")),
                        Details.value(row.path("runtime").path("state")),
                        Details.value(row.path("external_id")),
                        Details.value(row.path("last_seen_at")));
            cli.output().result(rows, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "add",
            description = "Gives an agent a sandbox. The machine behind it is made when it is first needed.")
    static final class Add implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private AgentOption agent = new AgentOption();

        @Option(names = "--type", paramLabel = "TYPE", description = "docker, e2b, daytona or tenki.")
        private Optional<String> type = Optional.empty();

        @Option(names = "--preset", paramLabel = "PRESET", description = "A preset of the gateway instead of a type.")
        private Optional<String> preset = Optional.empty();

        @Option(names = "--alias", paramLabel = "ALIAS", description = "Its name within the agent. Default: default.")
        private Optional<String> alias = Optional.empty();

        @Option(
                names = "--config",
                paramLabel = "JSON",
                description = "Settings of this type of sandbox, such as '{\"image\":\"ubuntu:24.04\"}'.")
        private Optional<String> config = Optional.empty();

        Add(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            if (type.isPresent() == preset.isPresent())
                throw CliFailure.usage("Say what to add: either --type or --preset");
            ObjectNode body = JsonTree.object();
            type.ifPresent(name -> body.put("type", name));
            preset.ifPresent(name -> body.put("preset", name));
            alias.ifPresent(name -> body.put("alias", name));
            if (config.isPresent()) body.set("config", JsonArgument.object("--config", config.get()));
            var owner = agent.in(cli);
            JsonNode row = cli.gateway().post(GatewayClient.path("agents", owner, "sandboxes"), body);
            cli.output()
                    .result(
                            row,
                            "Added sandbox '%s' to agent '%s'"
                                    .formatted(row.path("alias").asText(DEFAULT_ALIAS), owner));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "remove",
            description = "Deletes a sandbox. The workspace of the agent stays; a cloud machine is left behind.")
    static final class Remove implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private SandboxOption sandbox = new SandboxOption();

        @Parameters(
                paramLabel = "ALIAS",
                arity = "0..1",
                description = "The sandbox, as by --alias. One must be named.")
        private Optional<String> word = Optional.empty();

        @Option(names = "--destroy", description = "Destroys its machine as well, also in a cloud.")
        private boolean destroy;

        Remove(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var owner = sandbox.agent(cli);
            var alias = sandbox.namedAlias(word);
            cli.gateway().delete(path(owner, alias) + (destroy ? "?destroy=true" : ""));
            cli.output()
                    .result(
                            JsonTree.object().put("agent_id", owner).put("deleted", alias),
                            "Removed sandbox '%s' of agent '%s'".formatted(alias, owner));
            return ExitCode.OK;
        }
    }

    @Command(name = "start", description = "Brings a sandbox up now, and waits for it.")
    static final class Start implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private SandboxOption sandbox = new SandboxOption();

        @Parameters(paramLabel = "ALIAS", arity = "0..1", description = "The sandbox, as by --alias.")
        private Optional<String> word = Optional.empty();

        Start(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var owner = sandbox.agent(cli);
            var alias = sandbox.alias(word);
            JsonNode done;
            try (var _ = BringUpProgress.watch(cli, owner, alias)) {
                done = cli.gateway().post(path(owner, alias, "start"));
            }
            tell(cli, done, "Sandbox '%s' of agent '%s' is up".formatted(alias, owner));
            return ExitCode.OK;
        }
    }

    @Command(name = "stop", description = "Shuts a sandbox down. Its files stay, and the next command starts it again.")
    static final class Stop implements Callable<Integer> {
        private final CliContext cli;

        @Mixin
        private SandboxOption sandbox = new SandboxOption();

        @Parameters(paramLabel = "ALIAS", arity = "0..1", description = "The sandbox, as by --alias.")
        private Optional<String> word = Optional.empty();

        @Option(names = "--force", description = "Also while commands are running in it.")
        private boolean force;

        Stop(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            var owner = sandbox.agent(cli);
            var alias = sandbox.alias(word);
            var query = force ? "?force=true" : "";
            JsonNode done = cli.gateway().post(path(owner, alias, "stop") + query);
            tell(cli, done, "Sandbox '%s' of agent '%s' is stopped".formatted(alias, owner));
            return ExitCode.OK;
        }
    }
}
