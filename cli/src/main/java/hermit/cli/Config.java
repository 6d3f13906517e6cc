package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// The commands of `hermit config`.
final class Config {
    private Config() {}

    record Show(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            cli.output().document(new Settings(cli.home(), cli.launcher()).effective());
            return ExitCode.OK;
        }
    }

    @Command(name = "get", description = "Prints one setting in force, as JSON.")
    static final class Get implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "PATH", description = "Such as server.port or sandboxPresets.dev.config.image.")
        private String path = "";

        Get(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode value = Settings.at(new Settings(cli.home(), cli.launcher()).effective(), path);
            if (value.isMissingNode())
                throw new CliFailure(ExitCode.REFUSED, "not_found", "There is no setting '%s'".formatted(path));
            cli.output().document(value);
            return ExitCode.OK;
        }
    }

    @Command(
            name = "set",
            description =
                    "Changes one setting in gateway.json, if the gateway finds it right. It takes effect at the next start.")
    static final class Set implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(index = "0", paramLabel = "PATH", description = "Such as server.port.")
        private String path = "";

        @Parameters(index = "1", paramLabel = "VALUE", description = "JSON, or a text.")
        private String value = "";

        Set(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            JsonNode parsed = JsonArgument.valueOrText(value);
            new Settings(cli.home(), cli.launcher()).set(path, parsed);
            ObjectNode document = JsonTree.object().put("path", path);
            document.set("value", parsed);
            cli.output()
                    .result(
                            document,
                            "Set %s in %s; it takes effect at the next start"
                                    .formatted(path, cli.home().config()));
            return ExitCode.OK;
        }
    }
}
