package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import java.util.concurrent.Callable;

/// The commands of `hermit presets`.
final class Presets {
    private Presets() {}

    record ListThem(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            JsonNode answer = cli.gateway().get(GatewayClient.path("sandbox-presets"));
            JsonNode auto = answer.path("auto_provision_sandbox");
            var table = new Table("NAME", "TYPE", "DEFAULT", "CONFIG");
            for (var preset : answer.path("presets").properties())
                table.row(
                        preset.getKey(),
                        Details.value(preset.getValue().path("type")),
                        auto.isTextual() && auto.asText().equals(preset.getKey()) ? "yes" : "",
                        Details.value(preset.getValue().path("config")));
            cli.output().result(answer, table.render(cli.output().colours()));
            return ExitCode.OK;
        }
    }
}
