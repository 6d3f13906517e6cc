package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The main API: sandboxes, without what happens inside them.
final class ApiRoutes {
    private static final int LONGEST_PAGE = 200;

    private final Settings settings;
    private final Machines machines;
    private final Wire wire;

    ApiRoutes(Settings settings, Machines machines, Wire wire) {
        this.settings = settings;
        this.machines = machines;
        this.wire = wire;
    }

    void add(JavalinConfig config) {
        wire.on(config, HandlerType.GET, "/api/config", "config", this::config);
        on(config, HandlerType.POST, "/api/sandbox", "create", this::create);
        on(config, HandlerType.GET, "/api/sandbox", "list", this::list);
        on(config, HandlerType.GET, "/api/sandbox/{id}", "get", context -> shown(context, find(context)));
        on(config, HandlerType.DELETE, "/api/sandbox/{id}", "delete", context -> change(context, machines::delete, ""));
        on(config, HandlerType.POST, "/api/sandbox/{id}/start", "start", this::start);
        on(config, HandlerType.POST, "/api/sandbox/{id}/recover", "recover", this::recover);
        on(
                config,
                HandlerType.POST,
                "/api/sandbox/{id}/stop",
                "stop",
                context -> change(context, machines::stop, "started"));
        on(
                config,
                HandlerType.POST,
                "/api/sandbox/{id}/archive",
                "archive",
                context -> change(context, machines::archive, ""));
        on(config, HandlerType.POST, "/api/sandbox/{id}/pause", "pause", context -> {
            find(context);
            throw Refused.api(422, "Pausing is not supported for this sandbox");
        });
        on(config, HandlerType.PUT, "/api/sandbox/{id}/labels", "labels", this::labels);
        on(config, HandlerType.POST, "/api/sandbox/{id}/last-activity", "last-activity", context -> {
            find(context).touch();
            context.status(201);
        });
        for (String each : List.of("autostop", "autoarchive", "autodelete"))
            on(config, HandlerType.POST, "/api/sandbox/{id}/" + each + "/{minutes}", each, this::interval);
        on(config, HandlerType.GET, "/api/sandbox/{id}/toolbox-proxy-url", "toolbox-url", context -> {
            find(context);
            Wire.json(context, 200, Map.of("url", toolbox(context)));
        });
    }

    private void on(JavalinConfig config, HandlerType method, String path, String operation, Wire.Answering answering) {
        wire.on(config, method, path, operation, context -> {
            if (!("Bearer " + settings.apiKey()).equals(context.header("Authorization")))
                throw Refused.api(401, "Invalid credentials");
            answering.answer(context);
        });
    }

    private void config(Context context) {
        Wire.json(
                context,
                200,
                Map.of(
                        "version",
                        "0.218.0",
                        "proxyToolboxUrl",
                        toolbox(context),
                        "defaultSnapshot",
                        "daytona-small",
                        "maxAutoArchiveInterval",
                        43_200,
                        "maintananceMode",
                        false,
                        "environment",
                        "production"));
    }

    /// Answers with what it was before the wait: the service's answer may be as stale.
    private void create(Context context) throws InterruptedException {
        var wanted = Wanted.read(body(context));
        var created = machines.alone(() -> {
            var begun = machines.create(wanted);
            return Map.entry(begun, begun.show(toolbox(context), true));
        });
        var machine = created.getKey();
        boolean held = machine.wanted().dockerfile().isEmpty();
        if (held) hold(machine);
        if (held && machine.state().isFailure())
            throw Refused.api(400, "Sandbox failed to start: runner lost the sandbox");
        Wire.json(context, 200, created.getValue());
    }

    private void start(Context context) throws InterruptedException {
        var machine = find(context);
        boolean cold = machine.state() == State.ARCHIVED || machine.state() == State.ARCHIVING;
        var before = machines.alone(() -> {
            machines.start(machine);
            return machine.show(toolbox(context), true);
        });
        if (cold) before.put("state", State.ARCHIVED.toString());
        else hold(machine);
        Wire.json(context, 200, before);
    }

    private void recover(Context context) throws InterruptedException {
        var machine = find(context);
        var before = machines.alone(() -> {
            machines.recover(machine);
            return machine.show(toolbox(context), true);
        });
        hold(machine);
        Wire.json(context, 200, before);
    }

    /// `shown`: the state that the answer still has; empty for the new one.
    private void change(Context context, Consumer<Machine> change, String shown) {
        var machine = find(context);
        String before = machine.state().toString();
        var json = machines.alone(() -> {
            change.accept(machine);
            return machine.show(toolbox(context), true);
        });
        if (!shown.isEmpty() || isDestroying(json)) json.put("state", before);
        Wire.json(context, 200, json);
    }

    private static boolean isDestroying(ObjectNode shown) {
        return shown.path("state").asText().equals(State.DESTROYING.toString());
    }

    private void hold(Machine machine) throws InterruptedException {
        machine.awaitStable(System.nanoTime() + settings.hold().toNanos());
    }

    private void labels(Context context) {
        var machine = find(context);
        machine.relabel(Json.texts(body(context).path("labels")));
        shown(context, machine);
    }

    private void interval(Context context) {
        var machine = find(context);
        String[] words = context.path().split("/", -1);
        try {
            machine.interval(words[words.length - 2], Integer.parseInt(words[words.length - 1]));
        } catch (NumberFormatException e) {
            throw Refused.api(400, "interval must be an integer");
        }
        Wire.json(context, 201, machine.show(toolbox(context), true));
    }

    private void list(Context context) {
        int limit = number(context, "limit").orElse(100);
        if (limit < 1 || limit > LONGEST_PAGE) throw Refused.api(400, "limit must be between 1 and 200");
        int from = Optional.ofNullable(context.queryParam("cursor"))
                .map(ApiRoutes::position)
                .orElse(0);
        Map<String, String> labels = Optional.ofNullable(context.queryParam("labels"))
                .map(text -> Json.texts(Json.read(text.getBytes(StandardCharsets.UTF_8))))
                .orElse(Map.of());
        var states = context.queryParams("states");
        String name = Optional.ofNullable(context.queryParam("name")).orElse("").toLowerCase(Locale.ROOT);
        boolean empty = "lagging".equals(context.attribute("fault"));
        var found = machines.all().stream()
                .filter(each -> !empty)
                .filter(each -> each.labels().entrySet().containsAll(labels.entrySet()))
                .filter(each -> states.isEmpty() || states.contains(each.state().toString()))
                .filter(each -> each.name().toLowerCase(Locale.ROOT).startsWith(name))
                .toList();
        var page = Json.object();
        var items = page.putArray("items");
        found.stream().skip(from).limit(limit).forEach(each -> items.add(each.show(toolbox(context), false)));
        if (from + limit < found.size()) page.put("nextCursor", cursor(from + limit));
        else page.putNull("nextCursor");
        Wire.json(context, 200, page);
    }

    private static String cursor(int position) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Integer.toString(position).getBytes(StandardCharsets.UTF_8));
    }

    private static int position(String cursor) {
        try {
            return Integer.parseInt(new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw Refused.api(400, "invalid cursor");
        }
    }

    private static Optional<Integer> number(Context context, String key) {
        try {
            return Optional.ofNullable(context.queryParam(key)).map(Integer::parseInt);
        } catch (NumberFormatException e) {
            throw Refused.api(400, key + " must be an integer number");
        }
    }

    private void shown(Context context, Machine machine) {
        Wire.json(context, 200, machine.show(toolbox(context), true));
    }

    private Machine find(Context context) {
        String id = context.pathParam("id");
        return machines.find(id)
                .orElseThrow(() -> Refused.api(404, "Sandbox with ID or name %s not found".formatted(id)));
    }

    private static JsonNode body(Context context) {
        try {
            return Json.read(context.bodyAsBytes());
        } catch (Refused e) {
            throw Refused.api(400, "invalid JSON");
        }
    }

    private static String toolbox(Context context) {
        return "http://%s/toolbox".formatted(context.host());
    }
}
