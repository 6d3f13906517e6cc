package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.Box;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/// The daemon's own table of processes, and the calls that are about one of them.
final class Processes {
    private static final long DEFAULT_KEEPALIVE_SECONDS = 90;

    private final Box box;
    private final Inside inside;
    private final ConcurrentMap<Integer, DaemonProcess> all = new ConcurrentHashMap<>();

    Processes(Box box) {
        this.box = box;
        this.inside = new Inside(box);
    }

    /// - `limit`: of a stream's life, in ms.
    /// - `keepalive`: in s.
    record Timing(Optional<Long> limit, Optional<Long> keepalive) {
        Duration betweenSigns() {
            return Duration.ofSeconds(keepalive.orElse(DEFAULT_KEEPALIVE_SECONDS));
        }
    }

    Answer start(JsonNode request, String user, Map<String, String> machineEnv, Timing timing)
            throws Refused, InterruptedException {
        if (request.has("pty"))
            throw RpcError.of("unimplemented", "this fake has no terminals").ended();
        if (timing.limit.equals(Optional.of(0L)))
            throw RpcError.of("deadline_exceeded", "context deadline exceeded").ended();
        JsonNode config = request.path("process");
        var cwd = cwd(config, user);
        var env = new HashMap<>(machineEnv);
        config.path("envs")
                .properties()
                .forEach(each -> env.put(each.getKey(), each.getValue().asText()));
        var argv = new ArrayList<>(List.of(config.path("cmd").asText()));
        config.path("args").forEach(each -> argv.add(each.asText()));
        boolean stdin = request.path("stdin").asBoolean(true);
        var process = new DaemonProcess(request, box.run(new Box.Run(user, cwd, env, argv)), stdin);
        all.put(process.pid(), process);
        var stream = process.begin(timing);
        return new Answer.Streamed(Map.of("Content-Type", RpcError.STREAM), stream);
    }

    Answer attach(JsonNode request, Timing timing) throws Refused {
        var process = find(request).orElseThrow(() -> unknown(request).ended());
        return new Answer.Streamed(Map.of("Content-Type", RpcError.STREAM), process.attach(timing));
    }

    Map<String, Object> list() {
        var running = new ArrayList<Map<String, Object>>();
        for (var process : all.values()) {
            if (process.hasEnded()) continue;
            var entry = new LinkedHashMap<String, Object>();
            entry.put("config", process.config());
            entry.put("pid", process.pid());
            process.tag().ifPresent(tag -> entry.put("tag", tag));
            running.add(entry);
        }
        return running.isEmpty() ? Map.of() : Map.of("processes", running);
    }

    Map<String, Object> input(JsonNode request) throws Refused {
        var process = live(request);
        var input = request.path("input");
        if (input.has("pty"))
            throw RpcError.of(
                            "internal",
                            "error writing to tty: tty not assigned to process — input should be written to the stdin,"
                                    + " not the tty")
                    .unary();
        try {
            process.write(Base64.getDecoder().decode(input.path("stdin").asText()));
        } catch (IOException e) {
            throw RpcError.of("internal", "error writing to stdin: " + e.getMessage())
                    .unary();
        }
        return Map.of();
    }

    Map<String, Object> closeStdin(JsonNode request) throws Refused {
        live(request).closeStdin();
        return Map.of();
    }

    Map<String, Object> signal(JsonNode request) throws Refused, InterruptedException {
        var process = live(request);
        String signal = request.path("signal").asText();
        switch (signal) {
            case "SIGNAL_SIGKILL", "9" -> process.signal("KILL");
            case "SIGNAL_SIGTERM", "15" -> process.signal("TERM");
            default ->
                throw RpcError.of("unimplemented", "invalid signal: " + signal).unary();
        }
        return Map.of();
    }

    Map<String, Object> resize(JsonNode request) throws Refused {
        live(request);
        throw RpcError.of("internal", "error resizing tty: tty not assigned to process")
                .unary();
    }

    /// Closes every stream without an end, as a pause does.
    void cut() {
        all.values().forEach(DaemonProcess::cut);
    }

    /// The machine was rebooted.
    void forget() {
        all.clear();
    }

    private DaemonProcess live(JsonNode request) throws Refused {
        return find(request)
                .filter(each -> !each.hasEnded())
                .orElseThrow(() -> unknown(request).unary());
    }

    private Optional<DaemonProcess> find(JsonNode request) {
        JsonNode selector = request.path("process");
        if (selector.has("tag"))
            return all.values().stream()
                    .filter(each ->
                            each.tag().equals(Optional.of(selector.path("tag").asText())))
                    .findAny();
        return Optional.ofNullable(all.get(selector.path("pid").asInt()));
    }

    private static RpcError unknown(JsonNode request) {
        JsonNode selector = request.path("process");
        String name = selector.has("tag") ? "tag" : "pid";
        return RpcError.of(
                "not_found",
                "process with %s %s not found"
                        .formatted(name, selector.path(name).asText()));
    }

    private Optional<String> cwd(JsonNode config, String user) throws Refused, InterruptedException {
        if (!config.has("cwd")) return Optional.empty();
        String cwd = Filesystem.resolve(config.path("cwd").asText(), box.home(user));
        if (inside.run("test -d \"$1\"", cwd).code() != 0)
            throw RpcError.of("invalid_argument", "cwd '%s' does not exist".formatted(cwd))
                    .ended();
        return Optional.of(cwd);
    }
}
