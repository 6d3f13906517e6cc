package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientEvents;
import hermit.api.GatewayClientEvents.Event;
import hermit.api.GatewayClientException;
import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import hermit.api.JsonTree;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `hermit sessions events`.
@Command(
        name = "events",
        description = {
            "Prints what has happened in a session, each event with its number.",
            "",
            "With --follow it goes on with what happens, over connections that break, until Ctrl-C; --json prints a document on"
                    + " each line then.",
            ""
        })
final class SessionEvents implements Callable<Integer> {
    private final CliContext cli;

    @Mixin
    private AgentOption agent = new AgentOption();

    @Parameters(paramLabel = "SESSION_ID")
    private String id = "";

    @Option(names = "--after", paramLabel = "NUMBER", description = "Begin behind this event. Default: 0.")
    private long after;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what happens.")
    private boolean follow;

    SessionEvents(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        if (after < 0) throw CliFailure.usage("--after must be at least 0");
        GatewayClient gateway = cli.gateway();
        var session = Sessions.path(agent.in(cli), id);
        if (follow) follow(gateway, session + "/events");
        else printAll(gateway, session);
        return ExitCode.OK;
    }

    private void follow(GatewayClient gateway, String events) throws Exception {
        if (cli.output().json()) cli.output().useLines();
        var beginning = Optional.of(Long.toString(after));
        new Following(
                        cli,
                        last -> gateway.resume(events, last.or(() -> beginning)),
                        (_, event) -> cli.output().result(event, line(event)))
                .toTheEnd();
    }

    /// Up to the event that was the last when we asked: the stream itself has no end.
    private void printAll(GatewayClient gateway, String session) throws GatewayClientException {
        long last = gateway.get(session).path("last_event_id").asLong();
        ObjectNode all = JsonTree.object();
        var items = all.putArray("items");
        if (after < last)
            try (GatewayClientEvents events = gateway.resume(session + "/events", Optional.of(Long.toString(after)))) {
                for (long seen = after; seen < last; ) {
                    JsonNode event = next(events);
                    seen = event.path("id").asLong();
                    if (cli.output().json()) items.add(event);
                    else cli.output().result(event, line(event));
                }
            }
        if (cli.output().json()) cli.output().document(all);
    }

    private static JsonNode next(GatewayClientEvents events) throws GatewayClientException {
        Event event = events.next()
                .orElseThrow(() -> new Unreachable(Stage.BROKEN, "The session's events ended before the last one"));
        if (event.name().equals("error") && event.data() instanceof ObjectNode problem && problem.has("status"))
            throw new Refused(problem.path("status").asInt(), problem);
        return event.data();
    }

    /// Number, time, type, author, and the rest by the type.
    private static String line(JsonNode event) {
        JsonNode data = event.path("data");
        return "%s  %s  %s  %s  %s\n"
                .formatted(
                        event.path("id").asText(),
                        event.path("at").asText(),
                        event.path("type").asText(),
                        Output.printable(data.path("author").asText("—")),
                        text(data));
    }

    private static String text(JsonNode data) {
        if (data.path("text").isTextual()) return ShownText.of(data.path("text"));
        ObjectNode rest = data instanceof ObjectNode object ? object.deepCopy() : JsonTree.object();
        rest.remove("author");
        return ShownText.of(rest);
    }
}
