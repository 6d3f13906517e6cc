package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Creates, lists, pauses, resumes and kills sandboxes.
final class ControlPlane {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration DEFAULT_TIMEOUT_V1 = Duration.ofSeconds(15);

    private final E2bFake.Settings settings;
    private final Machines machines;

    ControlPlane(E2bFake.Settings settings, Machines machines) {
        this.settings = settings;
        this.machines = machines;
    }

    Answer answer(Call call, Route route) throws Refused, InterruptedException {
        if (!call.header("X-API-KEY").equals(Optional.of(settings.apiKey())))
            return Answer.refusal(
                    401,
                    "Invalid API key, please visit https://e2b.dev/docs/api-key for more information.\n"
                            + "Cannot get the team for the given API key");
        if (route.v2() && !settings.v2() && Set.of("create", "connect").contains(route.operation()))
            return Answer.text(404, "404 page not found");
        return switch (route.operation()) {
            case "create" -> create(call, route.v2());
            case "list" -> list(call);
            case "info" -> Answer.json(200, machine(route.id()).asDetail());
            case "connect" -> connect(call, machine(route.id()), route.v2());
            case "timeout" -> timeout(call, machine(route.id()));
            case "pause" -> pause(call, machine(route.id()));
            case "kill" -> kill(machine(route.id()));
            default -> Answer.refusal(404, "no such route");
        };
    }

    private Answer create(Call call, boolean v2) throws Refused, InterruptedException {
        JsonNode body = call.json();
        String template = body.path("templateID").asText();
        if (template.isEmpty()) throw new Refused(Answer.refusal(400, "templateID is required"));
        if (!settings.templates().contains(template))
            throw new Refused(Answer.refusal(404, "template '%s' not found".formatted(template)));
        var machine = machines.create(new Machine.Order(
                template,
                texts(body.path("metadata")),
                texts(body.path("envVars")),
                body.path("autoPause").asBoolean(false),
                body.hasNonNull("allow_internet_access")
                        ? Optional.of(body.path("allow_internet_access").asBoolean())
                        : Optional.empty(),
                v2 || body.path("secure").asBoolean(false),
                timeout(body, v2 ? DEFAULT_TIMEOUT : DEFAULT_TIMEOUT_V1)));
        return Answer.json(201, machine.asSandbox());
    }

    private Answer connect(Call call, Machine machine, boolean v2) throws Refused, InterruptedException {
        JsonNode body = call.json();
        if (!v2 && !body.has("timeout")) throw new Refused(Answer.refusal(400, "timeout is required"));
        Instant end = now().plus(timeout(body, DEFAULT_TIMEOUT));
        if (call.isSpecial("changed_id")) machines.rename(machine);
        if (machine.isRunning()) {
            if (end.isAfter(machine.endAt())) machine.endAt(end);
            return Answer.json(200, machine.asSandbox());
        }
        if (!machine.isPaused())
            throw new Refused(Answer.refusal(409, "Sandbox \"%s\" cannot be resumed".formatted(machine.id())));
        machine.resume(body.path("memory").asBoolean(true), end);
        return Answer.json(201, machine.asSandbox());
    }

    private Answer timeout(Call call, Machine machine) throws Refused {
        if (!machine.isRunning()) throw unknown(machine.id());
        machine.endAt(now().plus(timeout(call.json(), Duration.ZERO)));
        return Answer.empty(204);
    }

    private Answer pause(Call call, Machine machine) throws Refused, InterruptedException {
        if (machine.isPaused())
            throw new Refused(Answer.refusal(
                    409, "Error pausing sandbox - sandbox '%s' is already paused".formatted(machine.id())));
        if (!machine.isRunning())
            throw new Refused(
                    Answer.refusal(409, "Sandbox '%s' cannot be paused in its state".formatted(machine.id())));
        machine.pause(call.json().path("memory").asBoolean(true), now());
        return Answer.empty(204);
    }

    private Answer kill(Machine machine) throws InterruptedException {
        machines.kill(machine);
        return Answer.empty(204);
    }

    private Answer list(Call call) throws Refused, InterruptedException {
        var wanted = metadata(call.query("metadata").orElse(""));
        var states = Set.of(call.query("state").orElse("running,paused").split(","));
        var template = call.query("template");
        var found = machines.list().stream()
                .filter(each -> each.order().metadata().entrySet().containsAll(wanted.entrySet()))
                .filter(each -> template.isEmpty() || each.order().template().equals(template.get()))
                // A state that the provider has no word for is in no filter's way.
                .filter(each -> states.contains(each.isPaused() ? Machine.PAUSED : Machine.RUNNING))
                .toList();
        if (call.query("order").equals(Optional.of("asc"))) found = found.reversed();
        int limit = number(call.query("limit"), 100, 1, 100);
        int from = after(found, call.query("nextToken"));
        var page = found.stream().skip(from).limit(limit).toList();
        var answer = Answer.json(200, page.stream().map(Machine::asListed).toList())
                .with("X-Total-Running", Long.toString(running(found)));
        return from + page.size() < found.size() ? answer.with("X-Next-Token", cursor(page.getLast())) : answer;
    }

    private static String cursor(Machine last) {
        String text = "%s__%s".formatted(last.startedAt(), last.id());
        return Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Where the page begins that a cursor asks for.
    private static int after(List<Machine> found, Optional<String> cursor) throws Refused {
        if (cursor.isEmpty()) return 0;
        for (int i = 0; i < found.size(); i++) if (cursor(found.get(i)).equals(cursor.get())) return i + 1;
        throw new Refused(Answer.refusal(400, "Invalid next token"));
    }

    private static long running(List<Machine> machines) {
        return machines.stream().filter(Machine::isRunning).count();
    }

    /// Keys and values are encoded twice within the one value.
    private static Map<String, String> metadata(String filter) {
        var wanted = new HashMap<String, String>();
        Call.queryOf(filter).forEach((key, value) -> wanted.put(Call.decode(key), Call.decode(value)));
        return wanted;
    }

    private static int number(Optional<String> text, int standIn, int min, int max) throws Refused {
        try {
            int number = text.map(Integer::parseInt).orElse(standIn);
            if (number >= min && number <= max) return number;
        } catch (NumberFormatException _) {
            // Answered like a number that is out of bounds.
        }
        throw new Refused(Answer.refusal(400, "Invalid query parameter"));
    }

    private Duration timeout(JsonNode body, Duration standIn) throws Refused {
        if (!body.has("timeout")) return standIn;
        var asked = Duration.ofSeconds(body.path("timeout").asLong(-1));
        if (asked.isNegative()) throw new Refused(Answer.refusal(400, "Timeout must be a positive number"));
        if (asked.compareTo(Duration.ofHours(settings.longestHours())) > 0)
            throw new Refused(
                    Answer.refusal(400, "Timeout cannot be greater than %d hours".formatted(settings.longestHours())));
        return asked;
    }

    private static Map<String, String> texts(JsonNode object) {
        var texts = new HashMap<String, String>();
        object.properties()
                .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
        return texts;
    }

    private Machine machine(String id) throws Refused, InterruptedException {
        return machines.find(id).orElseThrow(() -> unknown(id));
    }

    private static Refused unknown(String id) {
        return new Refused(
                Answer.refusal(404, "Sandbox \"%s\" doesn't exist or you don't have access to it".formatted(id)));
    }

    private Instant now() {
        return machines.now().truncatedTo(ChronoUnit.MICROS);
    }
}
