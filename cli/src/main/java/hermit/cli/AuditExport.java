package hermit.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayDownload;
import hermit.api.JsonTree;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

/// `hermit audit export`: the lines as they come, which are JSON with or without `--json`. The last one says
/// how many there are; where it does not come, something is missing, and that is a failure.
record AuditExport(CliContext cli) implements Callable<Integer> {
    @Override
    public Integer call() throws Exception {
        cli.output().useLines();
        try (GatewayDownload export = cli.gateway().download(GatewayClient.path("audit", "export"));
                var lines = new BufferedReader(new InputStreamReader(export, StandardCharsets.UTF_8))) {
            long count = 0;
            var last = "";
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                cli.output().bytes(false, (line + "\n").getBytes(StandardCharsets.UTF_8));
                last = line;
                count++;
            }
            JsonNode end = parse(last);
            if (!end.path("end").asBoolean() || end.path("records").asLong() != count - 1)
                throw incomplete("after %d lines there is no end".formatted(count));
            return ExitCode.OK;
        } catch (GatewayDownload.Broken e) {
            throw incomplete(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return ExitCode.OUTPUT_CLOSED;
        }
    }

    private static JsonNode parse(String line) {
        try {
            return JsonTree.parse(line);
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    private static CliFailure incomplete(String why) {
        return new CliFailure(ExitCode.FAILED, "incomplete", "The export is not complete: " + why);
    }
}
