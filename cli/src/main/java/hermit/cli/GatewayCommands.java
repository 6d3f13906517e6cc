package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;

/// The commands of `hermit gateway`.
final class GatewayCommands {
    private GatewayCommands() {}

    record Run(CliContext cli) implements Callable<Integer> {
        /// The launcher starts the gateway in its own place; only with options in between does the call come this
        /// far.
        @Override
        public Integer call() throws Exception {
            Process gateway =
                    cli.launcher().command("gateway", "run").inheritIO().start();
            try (var _ = cli.surroundings().interrupts().guard(gateway::destroy)) {
                return gateway.waitFor();
            }
        }
    }

    record Start(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            var gateways = new Gateways(cli);
            boolean startedNow = gateways.start();
            ObjectNode status = gateways.status().put("started", startedNow);
            cli.output()
                    .result(
                            status,
                            "The gateway %s at %s (process %s), log in %s"
                                    .formatted(
                                            startedNow ? "runs" : "was already running",
                                            gateways.address(),
                                            status.path("pid").asText(),
                                            cli.home().log()));
            if (!status.path("ready").asBoolean())
                cli.output().note("Not all is well: " + Readiness.inWords(status.path("readiness")));
            return ExitCode.OK;
        }
    }

    record Stop(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            var gateways = new Gateways(cli);
            boolean stopped = gateways.stop();
            cli.output()
                    .result(
                            gateways.status().put("stopped", stopped),
                            stopped ? "The gateway has stopped" : "No gateway was running");
            return ExitCode.OK;
        }
    }

    record Status(CliContext cli) implements Callable<Integer> {
        @Override
        public Integer call() throws Exception {
            ObjectNode status = new Gateways(cli).status();
            cli.output().result(status, Details.of(status));
            if (!status.path("live").asBoolean()) return ExitCode.UNREACHABLE;
            return status.path("ready").asBoolean() ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
