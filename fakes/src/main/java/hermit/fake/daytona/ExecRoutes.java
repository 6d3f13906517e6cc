package hermit.fake.daytona;

import hermit.fake.Box;
import hermit.fake.daytona.Toolbox.Visit;
import io.javalin.config.JavalinConfig;
import io.javalin.http.HandlerType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/// The daemon's own commands, and where it stands.
final class ExecRoutes {
    /// The daemon takes the first of these that the machine has.
    static final String SHELL =
            "for s in zsh bash \"$SHELL\" sh; do [ -n \"$s\" ] && command -v \"$s\" >/dev/null && break; done; ";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final Toolbox toolbox;

    ExecRoutes(Toolbox toolbox) {
        this.toolbox = toolbox;
    }

    void add(JavalinConfig config) {
        toolbox.on(config, HandlerType.POST, "/process/execute", "exec", ExecRoutes::execute);
        toolbox.on(config, HandlerType.POST, "/process/code-run", "code-run", ExecRoutes::runCode);
        toolbox.on(config, HandlerType.GET, "/work-dir", "work-dir", ExecRoutes::directory);
        toolbox.on(config, HandlerType.GET, "/user-home-dir", "home-dir", ExecRoutes::directory);
        toolbox.on(
                config,
                HandlerType.GET,
                "/version",
                "version",
                visit -> Wire.json(visit.context(), 200, Map.of("version", "0.218.0")));
    }

    private static void directory(Visit visit) throws InterruptedException {
        Wire.json(visit.context(), 200, Map.of("dir", visit.home()));
    }

    private static void execute(Visit visit) throws InterruptedException {
        var body = Json.read(visit.context().bodyAsBytes());
        String command = body.path("command").asText();
        if (command.isBlank()) throw Refused.badRequest("command cannot be empty or whitespace-only");
        var envs = Json.texts(body.path("envs"));
        for (String name : envs.keySet())
            if (!NAME.matcher(name).matches()) throw Refused.badRequest("invalid environment variable name: " + name);
        var cwd = body.hasNonNull("cwd")
                ? Optional.of(visit.absolute(body.get("cwd").asText()))
                : Optional.<String>empty();
        var argv = List.of("sh", "-c", SHELL + "exec 2>&1; exec \"$s\"");
        var ended = run(
                visit,
                new Box.Run(visit.user(), cwd, envs, argv),
                command,
                body.path("timeout").asLong(0));
        // The proxy lost the daemon before it could answer.
        if (visit.machine().state() != State.STARTED) visit.context().status(502);
        else Wire.json(visit.context(), 200, ended);
    }

    private static void runCode(Visit visit) throws InterruptedException {
        var body = Json.read(visit.context().bodyAsBytes());
        String interpreter = switch (body.path("language").asText("python")) {
            case "python" -> "python3";
            case "javascript", "typescript" -> "node";
            default -> throw Refused.badRequest("unsupported language");
        };
        var argv = List.of("sh", "-c", "exec 2>&1; exec \"$0\" -", interpreter);
        var run = new Box.Run(visit.user(), Optional.empty(), Json.texts(body.path("envs")), argv);
        Wire.json(
                visit.context(),
                200,
                run(visit, run, body.path("code").asText(), body.path("timeout").asLong(0)));
    }

    record Ended(int exitCode, String result) {}

    /// The command goes in by stdin. A shell that ends by a signal counts as -1; the engine tells such an
    /// end by a code above 128, so a command that really ends with one is not told apart here.
    private static Ended run(Visit visit, Box.Run run, String stdin, long timeoutSeconds) throws InterruptedException {
        var process = visit.box().run(run);
        Thread.ofVirtual().start(() -> {
            try (var out = process.stdin()) {
                out.write(stdin.getBytes(StandardCharsets.UTF_8));
            } catch (IOException _) {
                // It ended without having read everything.
            }
        });
        var output = CompletableFuture.supplyAsync(
                () -> {
                    try (var in = process.stdout()) {
                        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
                    } catch (IOException e) {
                        return "";
                    }
                },
                each -> Thread.ofVirtual().start(each));
        try {
            String result = timeoutSeconds > 0 ? output.get(timeoutSeconds, TimeUnit.SECONDS) : output.get();
            int code = process.onExit().get();
            return new Ended(code > 128 ? -1 : code, result);
        } catch (TimeoutException e) {
            process.signalGroup("KILL");
            throw Refused.daemon(408, "PROCESS_EXECUTION_TIMEOUT", "command execution timeout");
        } catch (ExecutionException e) {
            throw Refused.daemon(500, "INTERNAL_SERVER_ERROR", "the command was lost");
        }
    }
}
