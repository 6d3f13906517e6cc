package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient.Answer;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.JsonTree;
import hermit.cli.GatewayProcess.Started;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The gateway of this machine, as a whole: its process, its folder, its address.
final class Gateways {
    /// How long a start may take before it counts as failed. It takes about a second.
    private static final int START_SECONDS = 60;

    private static final int LOOK_EVERY_MILLIS = 50;

    private final CliContext cli;
    private final GatewayProcess process;
    private final Connection connection;

    Gateways(CliContext cli) throws CliFailure {
        this.cli = cli;
        this.process = new GatewayProcess(cli.home());
        this.connection = Connection.ofThisMachine(cli.surroundings(), cli.home());
    }

    URI address() {
        return connection.address();
    }

    Optional<ProcessHandle> running() throws CliFailure {
        return process.running();
    }

    /// Its readiness; empty when nothing answers there.
    Optional<Answer> readiness() {
        try {
            return Optional.of(connection.client().ask("/ready"));
        } catch (Unreachable e) {
            return Optional.empty();
        }
    }

    /// Starts it unless it runs, waits until it answers, and returns whether it was started now.
    boolean start() throws CliFailure, InterruptedException {
        Optional<ProcessHandle> there = running();
        if (there.isPresent() && answers(there.get())) return false;
        if (readiness().isPresent())
            throw CliFailure.local(
                    "address_in_use",
                    "Something already answers at %s, and 'hermit gateway start' did not start it: another gateway? Stop it, or set server.port"
                            .formatted(address()));
        ProcessBuilder command = cli.launcher().command("gateway", "run");
        command.environment().put("HERMIT_HOME", cli.home().root().toString());
        // In a session of its own, so that the end of this terminal is not its end.
        programOnPath("setsid").ifPresent(setsid -> command.command().addFirst(setsid));
        Started started = process.start(command);
        for (int waited = 0; waited < START_SECONDS * 1000; waited += LOOK_EVERY_MILLIS) {
            if (started.process().waitFor(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) throw failed(started);
            if (readiness().isPresent()) return true;
        }
        throw CliFailure.local(
                "start",
                "The gateway (process %d) does not answer at %s after %d s; see %s"
                        .formatted(
                                started.process().pid(),
                                address(),
                                START_SECONDS,
                                cli.home().log()));
    }

    /// Waits until a process that is there answers, or has ended after all: it may just be starting, or have
    /// been killed a moment ago.
    private boolean answers(ProcessHandle process) throws CliFailure, InterruptedException {
        for (int waited = 0; waited < START_SECONDS * 1000; waited += LOOK_EVERY_MILLIS) {
            if (readiness().isPresent()) return true;
            if (endsSoon(process)) return false;
        }
        throw CliFailure.local(
                "start",
                "The gateway (process %d) runs, but does not answer at %s; see %s"
                        .formatted(process.pid(), address(), cli.home().log()));
    }

    private static boolean endsSoon(ProcessHandle process) throws InterruptedException {
        try {
            process.onExit().get(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("waiting for the end of process " + process.pid(), e);
        }
    }

    private CliFailure failed(Started started) throws CliFailure {
        int code = started.process().exitValue();
        process.forget();
        var said = process.said(started);
        return new CliFailure(
                code == ExitCode.CONFIG ? ExitCode.CONFIG : ExitCode.LOCAL,
                code == ExitCode.CONFIG ? "config" : "start",
                "The gateway did not start (exit code %d)%s".formatted(code, said.isEmpty() ? "" : ":\n" + said));
    }

    /// Stops it, and returns whether there was something to stop.
    boolean stop() throws CliFailure, InterruptedException {
        return stop(GatewayProcess.PATIENCE);
    }

    boolean stop(Duration patience) throws CliFailure, InterruptedException {
        Optional<ProcessHandle> gateway = running();
        if (gateway.isPresent()) {
            process.stop(gateway.get(), patience);
            return true;
        }
        process.forget();
        if (readiness().isPresent())
            throw CliFailure.local(
                    "not_ours",
                    "A gateway answers at %s, but 'hermit gateway start' did not start it: stop it where it was started"
                            .formatted(address()));
        return false;
    }

    /// What there is to know about it. `ready` is its own word: the database works, and so does each backend.
    ObjectNode status() throws CliFailure {
        ObjectNode document = JsonTree.object().put("url", address().toString());
        Optional<ProcessHandle> gateway = running();
        Optional<Answer> readiness = readiness();
        if (gateway.isPresent()) document.put("pid", gateway.get().pid());
        else document.putNull("pid");
        document.put("live", readiness.isPresent());
        document.put(
                "ready",
                readiness
                        .filter(answer -> Readiness.status(answer.body()) == Readiness.Status.READY)
                        .isPresent());
        document.set(
                "readiness",
                readiness
                        .map(Answer::body)
                        .filter(body -> !body.isMissingNode())
                        .orElse(JsonTree.nothing()));
        return document.put("home", cli.home().root().toString())
                .put("log", cli.home().log().toString());
    }

    private Optional<String> programOnPath(String name) {
        for (String directory :
                cli.surroundings().env().getOrDefault("PATH", "").split(":", -1)) {
            Path program = Path.of(directory, name);
            if (!directory.isEmpty() && Files.isExecutable(program)) return Optional.of(program.toString());
        }
        return Optional.empty();
    }
}
