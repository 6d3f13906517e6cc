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
import java.util.function.Consumer;

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

    /// Whether this event is the one behind which nothing comes.
    @FunctionalInterface
    interface Last {
        boolean is(String name, JsonNode data);
    }

    private final Source source;
    private final Reader reader;
    private final Last isLast;
    private final Consumer<String> note;
    private final Reconnects reconnects;
    private Optional<String> last = Optional.empty();
    private boolean reached;

    /// Up to the event `end`, with messages on stderr.
    Following(CliContext cli, Source source, Reader reader) {
        this(cli.surroundings().pause(), cli.output()::note, source, reader, (name, _) -> name.equals("end"));
    }

    /// `note` is told when the gateway is looked for again.
    Following(Pause pause, Consumer<String> note, Source source, Reader reader, Last isLast) {
        this.source = source;
        this.reader = reader;
        this.isLast = isLast;
        this.note = note;
        this.reconnects = new Reconnects(pause);
    }

    /// Returns what comes with the last event. If the gateway cannot be reached at first, or refuses, that
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
                note.accept("%s. Looking for the gateway again".formatted(why.getMessage()));
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
            var name = next.get().name();
            if (isLast.is(name, data)) return Optional.of(data);
            // The stream ends here, and what it tells of goes on.
            if (name.equals("error") && !isOfSession(data))
                throw new Refused(
                        data.path("status").asInt(500),
                        data instanceof ObjectNode problem ? problem : CliFailure.problem("internal", data.toString()));
            reader.take(name, data);
        }
        return Optional.empty();
    }

    /// An error that happened in a session is one of its events, with a number. A problem of the stream has
    /// none.
    private static boolean isOfSession(JsonNode data) {
        return data.path("type").asText().equals("error") && data.path("id").isIntegralNumber();
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
