package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `hermit sandbox leftovers` and `hermit sandbox reclaim`.
final class Leftovers {
    private Leftovers() {}

    record ListThem(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            JsonNode answer = cli.gateway().get(GatewayClient.path("sandboxes", "leftovers"));
            for (JsonNode provider : answer.path("unreachable"))
                cli.output()
                        .note("%s could not be asked: %s"
                                .formatted(
                                        provider.path("type").asText(),
                                        Output.printable(provider.path("detail").asText())));
            cli.output().result(answer, table(cli, answer));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "reclaim",
            description = "Destroys the machine that is left over of a deleted sandbox. Its files are gone for good.")
    static final class Reclaim implements Callable<Integer> {
        private final CliContext cli;

        @Parameters(paramLabel = "SANDBOX_ID", description = "As 'hermit sandbox leftovers' shows it.")
        private String sandbox = "";

        @Option(names = "--dry-run", description = "Only shows what would be destroyed.")
        private boolean dryRun;

        Reclaim(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            if (dryRun) return show();
            JsonNode answer = cli.gateway().post(GatewayClient.path("sandboxes", sandbox, "reclaim"));
            cli.output()
                    .result(
                            answer,
                            "Destroyed %d machine(s) of sandbox %s"
                                    .formatted(answer.path("items").size(), Output.printable(sandbox)));
            return ExitCode.OK;
        }

        private int show() throws Exception {
            var wanted = JsonTree.object();
            var items = wanted.putArray("items");
            for (JsonNode item : cli.gateway()
                    .get(GatewayClient.path("sandboxes", "leftovers"))
                    .path("items")) if (item.path("sandbox_id").asText().equals(sandbox)) items.add(item);
            cli.output().result(wanted, table(cli, wanted));
            return ExitCode.OK;
        }
    }

    private static String table(CliContext cli, JsonNode answer) {
        var table = new Table("SANDBOX ID", "AGENT", "ALIAS", "TYPE", "EXTERNAL ID", "STATE", "DELETED");
        for (JsonNode item : answer.path("items"))
            table.row(
                    Details.value(item.path("sandbox_id")),
                    Details.value(item.path("agent_id")),
                    Details.value(item.path("alias")),
                    Details.value(item.path("type")),
                    Details.value(item.path("external_id")),
                    Details.value(item.path("state")),
                    Details.value(item.path("deleted_at")));
        return table.render(cli.output().colours());
    }
}
