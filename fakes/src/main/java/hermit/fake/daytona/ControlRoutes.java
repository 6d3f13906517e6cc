package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.Fault;
import hermit.fake.Faults;
import hermit.fake.Journal;
import io.javalin.config.JavalinConfig;
import java.time.Duration;
import java.util.Map;

/// The fake's own routes, for whoever uses it from outside. They need no key.
///
/// - `POST /_fake/faults` `{"operation", "times"?, "kind": "answer", "status", "headers"?, "body"?}`; other
/// kinds are `stall`, `lose`, `delay` with `ms`, `cut` with `after`, `special` with `name`. `DELETE` takes
/// all back.
/// - `GET /_fake/requests`: what was asked so far.
/// - `POST /_fake/machines/{id}/{stop|pause|archive|delete|error|recoverable-error}`
final class ControlRoutes {
    private final Machines machines;
    private final Faults faults;
    private final Journal journal;

    ControlRoutes(Machines machines, Faults faults, Journal journal) {
        this.machines = machines;
        this.faults = faults;
        this.journal = journal;
    }

    void add(JavalinConfig config) {
        config.routes.post("/_fake/faults", context -> {
            faults.add(fault(Json.read(context.bodyAsBytes())));
            context.status(204);
        });
        config.routes.delete("/_fake/faults", context -> {
            faults.clear();
            context.status(204);
        });
        config.routes.get("/_fake/requests", context -> {
            var list = Json.array();
            for (var each : journal.entries()) {
                var entry = list.addObject().put("at", each.at().toString());
                entry.put("method", each.method()).put("path", each.path()).put("body", each.body());
                each.headers().forEach(entry.putObject("headers")::put);
            }
            Wire.json(context, 200, list);
        });
        config.routes.post("/_fake/machines/{id}/{what}", context -> {
            var machine = machines.find(context.pathParam("id")).orElseThrow(() -> Refused.api(404, "no such sandbox"));
            machines.strike(machine, context.pathParam("what"));
            context.status(204);
        });
        config.routes.exception(
                Refused.class, (e, context) -> Wire.json(context, e.status(), Map.of("message", e.text())));
    }

    private static Fault fault(JsonNode json) {
        var kind = switch (json.path("kind").asText()) {
            case "answer" ->
                new Fault.Kind.Answer(
                        json.path("status").asInt(500),
                        Json.texts(json.path("headers")),
                        json.path("body").asText());
            case "stall" -> new Fault.Kind.Stall();
            case "lose" -> new Fault.Kind.Lose();
            case "delay" ->
                new Fault.Kind.Delay(Duration.ofMillis(json.path("ms").asLong()));
            case "cut" -> new Fault.Kind.Cut(json.path("after").asInt());
            case "special" -> new Fault.Kind.Special(json.path("name").asText());
            default -> throw Refused.api(400, "kind is answer, stall, lose, delay, cut or special");
        };
        return new Fault(
                json.path("operation").asText(),
                kind,
                Math.max(1, json.path("times").asInt(1)));
    }
}
