package hermit.cli;

import com.sun.net.httpserver.HttpExchange;
import hermit.api.JsonTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The session `s1` of the agent `main` at a fake gateway: a log of events, told to whoever follows it and
/// kept open, and one who says something and is answered with the turn `t1`, `t2` and so on.
final class FakeSession {
    static final String PATH = "/api/agents/main/sessions";

    private final List<String> events = new ArrayList<>();
    private final List<String> followedFrom = new ArrayList<>();
    private final FakeGateway gateway;
    private int turns;
    private boolean breaking;
    private Runnable answer = () -> {};

    FakeSession(FakeGateway gateway) {
        this.gateway = gateway;
        gateway.on("GET /api/me", 200, "{\"kind\":\"user\",\"caller\":\"user:me\",\"read_only\":false}");
        gateway.on(
                "POST " + PATH,
                exchange -> FakeGateway.send(
                        exchange,
                        201,
                        "application/json",
                        "{\"session_id\":\"s1\",\"last_event_id\":%d}".formatted(last())));
        gateway.on("POST " + PATH + "/s1/messages", this::said);
        gateway.on("GET " + PATH + "/s1/events", this::follow);
        gateway.on("POST " + PATH + "/s1/cancel", 200, "{}");
    }

    /// What happens behind the next messages.
    FakeSession answering(Runnable answer) {
        this.answer = answer;
        return this;
    }

    synchronized int last() {
        return events.size();
    }

    /// How often the events were followed, and from behind which one each time.
    synchronized List<String> followedFrom() {
        return List.copyOf(followedFrom);
    }

    /// Adds to the log. `data` is a JSON object.
    synchronized FakeSession tell(String type, String data) {
        int id = events.size() + 1;
        events.add(FakeGateway.event(
                Integer.toString(id),
                type,
                "{\"id\":%d,\"type\":\"%s\",\"at\":\"T\",\"data\":%s}".formatted(id, type, data)));
        notifyAll();
        return this;
    }

    FakeSession delta(int attempt, String text) {
        return tell(
                "text_delta",
                "{\"turn_id\":\"t%d\",\"step\":1,\"attempt\":%d,\"text\":%s}".formatted(turns, attempt, quoted(text)));
    }

    FakeSession says(String text) {
        return tell("text_final", "{\"turn_id\":\"t%d\",\"step\":1,\"text\":%s}".formatted(turns, quoted(text)));
    }

    FakeSession ends(String reason) {
        return tell("turn_end", "{\"turn_id\":\"t%d\",\"reason\":\"%s\"}".formatted(turns, reason));
    }

    static String quoted(String text) {
        return JsonTree.write(JsonTree.text(text));
    }

    /// Ends the connections that follow, as soon as they have told what there is.
    synchronized void breakOnce() {
        breaking = true;
        notifyAll();
    }

    private void said(HttpExchange exchange) throws IOException {
        String text = gateway.asked().reversed().stream()
                .filter(each -> each.path().endsWith("/messages"))
                .findFirst()
                .orElseThrow()
                .body()
                .path("text")
                .asText();
        synchronized (this) {
            turns++;
            tell(
                    "user_message",
                    "{\"author\":\"user:me\",\"text\":%s,\"turn_id\":\"t%d\"}".formatted(quoted(text), turns));
        }
        FakeGateway.send(
                exchange,
                201,
                "application/json",
                "{\"id\":%d,\"data\":{\"turn_id\":\"t%d\"}}".formatted(last(), turns));
        answer.run();
    }

    private void follow(HttpExchange exchange) throws IOException, InterruptedException {
        var from = exchange.getRequestHeaders().getFirst("Last-Event-ID");
        synchronized (this) {
            followedFrom.add(from);
        }
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        for (int told = Integer.parseInt(from); ; told++) {
            String next;
            synchronized (this) {
                while (told >= events.size() && !breaking) wait();
                if (told >= events.size()) {
                    breaking = false;
                    return;
                }
                next = events.get(told);
            }
            exchange.getResponseBody().write(next.getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
        }
    }
}
