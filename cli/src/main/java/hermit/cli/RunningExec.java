package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientException;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/// One command in a sandbox, from its request to its end: its output goes to stdout and stderr as it comes.
final class RunningExec {
    private final CliContext cli;
    private final GatewayClient gateway;
    private final String execs;
    private final ExecRequest request;
    private final PassedOutput passed;
    private String id = "";
    private boolean cancelWanted;
    private boolean cancelSent;

    /// `execs` is the path of the sandbox's execs.
    RunningExec(CliContext cli, GatewayClient gateway, String execs, ExecRequest request) {
        this.cli = cli;
        this.gateway = gateway;
        this.execs = execs;
        this.request = request;
        this.passed = new PassedOutput(cli.output(), 0, 0);
    }

    /// Starts it, follows it to its end, and returns the result. `started` is told the path of the command,
    /// once.
    ///
    /// @throws IOException if our own output cannot be written any more
    JsonNode run(Consumer<String> started) throws GatewayClientException, IOException, InterruptedException {
        try {
            return new Following(cli, this::open, (name, data) -> {
                        if (name.equals("start")) began(data.path("exec_id").asText(), started);
                        else passed.take(name, data);
                    })
                    .toTheEnd();
        } catch (GatewayClientException e) {
            if (!id.isEmpty())
                cli.output()
                        .note("What became of the command is told under its exec id '%s': hermit sandbox logs %s"
                                .formatted(id, id));
            throw e;
        }
    }

    /// As long as no id is known, the same request again: its idempotency key makes it the same command.
    private GatewayClientEvents open(Optional<String> lastId) throws GatewayClientException {
        return id.isEmpty()
                ? gateway.stream(execs, request.body())
                : gateway.resume(path(id) + "/events?encoding=" + request.encoding(), lastId);
    }

    /// The whole result, with its output, of a command that has ended.
    JsonNode result() throws GatewayClientException {
        return gateway.get(path(id));
    }

    /// Cancels the command, once. Before it has started, as soon as it starts.
    void cancel() {
        String known;
        synchronized (this) {
            if (cancelSent) return;
            if (id.isEmpty()) {
                if (!cancelWanted) cli.output().note("The command is cancelled as soon as it has started");
                cancelWanted = true;
                return;
            }
            cancelSent = true;
            known = id;
        }
        try {
            gateway.delete(path(known));
        } catch (GatewayClientException e) {
            cli.output().note("cancel the command: " + e.getMessage());
        }
    }

    private void began(String execId, Consumer<String> started) {
        boolean cancelNow;
        synchronized (this) {
            if (!id.isEmpty()) return;
            id = execId;
            cancelNow = cancelWanted;
        }
        started.accept(path(execId));
        if (cancelNow) cancel();
    }

    private String path(String execId) {
        return execs + "/" + GatewayClient.encode(execId);
    }
}
