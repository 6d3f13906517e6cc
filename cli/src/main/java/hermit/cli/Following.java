package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientEvents.Event;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import java.io.IOException;
import java.util.Optional;

/// Follows a command, a session or the approvals to the end, if there is one, over as many connections as
/// that takes: a stream that breaks is taken up again behind the last event that came.
final class Following {
    /// Opens the stream: from its beginning, or behind the event with this id.
    @FunctionalInterface
    interface Source {
        GatewayClientEvents open(Optional<String> lastId) throws GatewayClientException;
    }

    /// Takes every event but the last one.
    @FunctionalInterface
    interface Reader {
        void take(String name, JsonNode data) throws IOException;
    }

    private final Source source;
    private final Reader reader;
    private final Output output;
    private final Reconnects reconnects;
    private Optional<String> last = Optional.empty();
    private boolean reached;

    Following(CliContext cli, Source source, Reader reader) {
        this.source = source;
        this.reader = reader;
        this.output = cli.output();
        this.reconnects = new Reconnects(cli.surroundings().pause());
    }

    /// Returns what comes with the event `end`. If the gateway cannot be reached at first, or refuses, that
    /// is thrown at once; later it is looked for again.
    ///
    /// @throws IOException if the reader cannot go on
    JsonNode toTheEnd() throws GatewayClientException, IOException, InterruptedException {
        while (true) {
            GatewayClientException why;
            try {
                Optional<JsonNode> end = overOneConnection();
                if (end.isPresent()) return end.get();
                why = new Unreachable(Stage.BROKEN, "The connection to the gateway ended too early");
            } catch (GatewayClientException e) {
                if (isFinal(e)) throw e;
                why = e;
            }
            reached = true;
            if (reconnects.first() && !isBusy(why))
                output.note("%s. Looking for the gateway again".formatted(why.getMessage()));
            reconnects.await(why);
        }
    }

    private Optional<JsonNode> overOneConnection() throws GatewayClientException, IOException {
        try (GatewayClientEvents events = source.open(last)) {
            reached = true;
            try {
                Optional<JsonNode> end = read(events);
                stood(events);
                return end;
            } catch (Unreachable e) {
                stood(events);
                throw e;
            } finally {
                last = events.lastId().or(() -> last);
            }
        }
    }

    /// A connection that was alive, however it ended, makes the next loss a new one.
    private void stood(GatewayClientEvents events) {
        if (events.heard()) reconnects.found();
    }

    private Optional<JsonNode> read(GatewayClientEvents events) throws GatewayClientException, IOException {
        for (Optional<Event> next = events.next(); next.isPresent(); next = events.next()) {
            JsonNode data = next.get().data();
            switch (next.get().name()) {
                case "end" -> {
                    return Optional.of(data);
                }
                // The stream ends here, and what it tells of goes on.
                case "error" ->
                    throw new Refused(
                            data.path("status").asInt(500),
                            data instanceof ObjectNode problem
                                    ? problem
                                    : CliFailure.problem("internal", data.toString()));
                default -> reader.take(next.get().name(), data);
            }
        }
        return Optional.empty();
    }

    private boolean isFinal(GatewayClientException e) {
        return switch (e) {
            case Refused refused -> !reached || !Reconnects.maySoonChange(refused);
            case Unreachable lost -> !reached && lost.stage() == Stage.CONNECTING;
        };
    }

    private static boolean isBusy(GatewayClientException e) {
        return e instanceof Unreachable lost && lost.stage() == Stage.WAITING;
    }
}
