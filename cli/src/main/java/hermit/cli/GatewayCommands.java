package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/// The commands of `hermit gateway`.
final class GatewayCommands {
    private GatewayCommands() {}

    @Command(name = "run", description = "Runs the gateway in the foreground until it is told to stop.")
    static final class Run implements Callable<Integer> {
        private final CliContext cli;

        Run(CliContext cli) {
            this.cli = cli;
        }

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

    @Command(name = "start", description = "Starts the gateway in the background and waits until it answers.")
    static final class Start implements Callable<Integer> {
        private final CliContext cli;

        Start(CliContext cli) {
            this.cli = cli;
        }

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

    @Command(
            name = "stop",
            description = "Stops the gateway that 'gateway start' started. Sandboxes are left as they are.")
    static final class Stop implements Callable<Integer> {
        private final CliContext cli;

        Stop(CliContext cli) {
            this.cli = cli;
        }

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

    @Command(
            name = "status",
            description =
                    "Says whether the gateway runs and is ready. Exits 3 if it does not answer, 4 if it is not ready.")
    static final class Status implements Callable<Integer> {
        private final CliContext cli;

        Status(CliContext cli) {
            this.cli = cli;
        }

        @Override
        public Integer call() throws Exception {
            ObjectNode status = new Gateways(cli).status();
            cli.output().result(status, Details.of(status));
            if (!status.path("live").asBoolean()) return ExitCode.UNREACHABLE;
            return status.path("ready").asBoolean() ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
