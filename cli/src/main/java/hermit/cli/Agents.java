package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The commands of `hermit agents`.
final class Agents {
    private Agents() {}

    record ListThem(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            ObjectNode agents = cli.list(GatewayClient.path("agents"));
            var table = new Table("ID", "NAME", "CREATED");
            for (JsonNode agent : agents.path("items"))
                table.row(
                        Details.value(agent.path("id")),
                        Details.value(agent.path("name")),
                        Details.value(agent.path("created_at")));
            cli.output().result(agents, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }

    @Command(name = "create", description = "Creates an agent, with a sandbox from a preset.")
    static final class Create implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "ID", description = "Lower-case letters, digits and hyphens.")
        private String id = "";

        @Option(names = "--name", paramLabel = "NAME", description = "What people call it.")
        private Optional<String> name = Optional.empty();

        @ArgGroup
        private WhichSandbox sandbox = new WhichSandbox();

        @Option(names = "--config", paramLabel = "JSON", description = "Its settings, such as '{\"exec\":{…}}'.")
        private Optional<String> config = Optional.empty();

        static final class WhichSandbox {
            @Option(
                    names = "--sandbox",
                    paramLabel = "PRESET",
                    description = "Default: what autoProvisionSandbox names.")
            private Optional<String> preset = Optional.empty();

            @Option(names = "--no-sandbox", description = "Create it without one.")
            private boolean none;
        }

        Create(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode body = JsonTree.object().put("id", id);
            name.ifPresent(text -> body.put("name", text));
            sandbox.preset.ifPresent(preset -> body.put("sandbox", preset));
            if (sandbox.none) body.putNull("sandbox");
            if (config.isPresent()) body.set("config", JsonArgument.object("--config", config.get()));
            JsonNode agent = cli.gateway().post(GatewayClient.path("agents"), body);
            cli.output().result(agent, "Created agent '%s'".formatted(id));
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Shows one agent.")
    static final class Show implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "ID")
        private String id = "";

        Show(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode agent = cli.gateway().get(GatewayClient.path("agents", id));
            cli.output().result(agent, Details.of(agent));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "delete",
            description =
                    "Deletes an agent, with its Docker sandboxes and its workspace. Cloud machines are left behind.")
    static final class Delete implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "ID")
        private String id = "";

        Delete(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            cli.gateway().delete(GatewayClient.path("agents", id));
            cli.output().result(JsonTree.object().put("deleted", id), "Deleted agent '%s'".formatted(id));
            return ExitCode.OK;
        }
    }
}
