package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.JsonTree;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `hermit sandbox kill`.
@Command(
        name = "kill",
        description =
                "Cancels a command: TERM to all of its processes, KILL to what is left after 2 s. Waits for the end.")
final class SandboxKill implements Callable<Integer> {
    /// Less than a minute, after which some proxies give up, and than the gateway's own limit.
    private static final int WAIT_MILLIS = 30_000;

    private final CliContext cli;

    @Mixin
    private ExecWords words = new ExecWords();

    @Option(
            names = {"-s", "--signal"},
            paramLabel = "NAME",
            description = "Send this signal instead, such as INT, HUP or USR1.")
    private Optional<String> signal = Optional.empty();

    @Option(names = "--no-wait", description = "Do not wait until it has ended.")
    private boolean noWait;

    SandboxKill(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        GatewayClient gateway = cli.gateway();
        var exec = words.path(cli);
        if (signal.isPresent()) gateway.post(exec + "/signal", JsonTree.object().put("signal", signal.get()));
        else gateway.delete(exec);
        JsonNode found = gateway.get(exec);
        while (!noWait && !ended(found)) found = gateway.get(exec + "?wait_ms=" + WAIT_MILLIS);
        cli.output()
                .result(
                        found,
                        ended(found)
                                ? "Command %s ended: %s".formatted(words.execId(), ExecEnd.of(found))
                                : "Command %s has been sent %s".formatted(words.execId(), signal.orElse("TERM")));
        return ExitCode.OK;
    }

    private static boolean ended(JsonNode exec) {
        return exec.path("state").asText().equals("ended");
    }
}
