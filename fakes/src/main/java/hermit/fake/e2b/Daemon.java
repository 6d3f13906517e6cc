package hermit.fake.e2b;

import hermit.fake.FakeFailure;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The edge, which finds the sandbox that a request is meant for, and the daemon in it.
final class Daemon {
    private static final Pattern HOST = Pattern.compile("([0-9]+)-([a-z0-9]+)\\..*");
    private static final String PORT = "49983";
    private static final String UNAUTHORIZED =
            "unauthorized access, please provide a valid access token or method signing if supported";

    private final E2bFake.Settings settings;
    private final Machines machines;

    Daemon(E2bFake.Settings settings, Machines machines) {
        this.settings = settings;
        this.machines = machines;
    }

    Answer answer(Call call, Route route) throws Refused, InterruptedException {
        var address = address(call);
        var machine = machines.find(address.id);
        if (machine.filter(Machine::isRunning).isEmpty()) return edge(address.id, "The sandbox was not found");
        if (!address.port.equals(PORT) || call.isSpecial("not_up"))
            return edge(address.id, "The sandbox is running but port is not open");
        try {
            return inside(call, route, machine.get());
        } catch (FakeFailure e) {
            // Paused or killed while the daemon was at it?
            if (machine.get().isRunning()) throw e;
            return edge(address.id, "The sandbox was not found");
        }
    }

    private Answer inside(Call call, Route route, Machine machine) throws Refused, InterruptedException {
        if (route.operation().equals("health")) return Answer.empty(204).with("Cache-Control", "no-store");
        if (route.operation().equals("none")) return Answer.text(404, "404 page not found\n");
        if (machine.order().secured() && !call.header("X-Access-Token").equals(Optional.of(machine.token())))
            return Answer.refusal(
                    401,
                    call.path().equals("/files")
                                    && call.header("X-Access-Token").isPresent()
                            ? "access token present in header but does not match"
                            : UNAUTHORIZED);
        var files = new DaemonFiles(machine, settings.user());
        return switch (route.operation()) {
            case "upload" -> files.upload(call);
            case "download" -> files.download(call);
            case "envs" -> Answer.json(200, machine.order().env());
            case "start", "attach" -> stream(call, route, machine);
            default -> unary(call, route, machine);
        };
    }

    private Answer stream(Call call, Route route, Machine machine) throws Refused, InterruptedException {
        if (!isType(call, RpcError.STREAM)) return Answer.empty(415);
        String user = user(call).orElse(settings.user());
        if (machine.box().home(user).isEmpty())
            throw RpcError.of("unauthenticated", "invalid username: '%s'".formatted(user))
                    .ended();
        var timing = new Processes.Timing(number(call, "Connect-Timeout-Ms"), number(call, "Keepalive-Ping-Interval"));
        var request = Frames.read(call.body());
        if (!route.operation().equals("start")) return machine.processes().attach(request, timing);
        return machine.processes().start(request, user, environment(machine, user), timing);
    }

    private Answer unary(Call call, Route route, Machine machine) throws Refused, InterruptedException {
        if (!call.method().equals("POST")) return Answer.empty(405).with("Allow", "POST");
        if (!isType(call, "application/json")) return Answer.empty(415);
        var user = user(call).orElse(settings.user());
        var home = machine.box().home(user);
        if (home.isEmpty())
            throw RpcError.of("unauthenticated", "invalid username: '%s'".formatted(user))
                    .unary();
        var request = call.json();
        var processes = machine.processes();
        var filesystem = new Filesystem(machine, user, home);
        Object result = switch (route.operation()) {
            case "processes" -> processes.list();
            case "input" -> processes.input(request);
            case "close_stdin" -> processes.closeStdin(request);
            case "signal" -> processes.signal(request);
            case "resize" -> processes.resize(request);
            case "stat" -> filesystem.stat(request);
            case "list_dir" -> filesystem.list(request);
            case "make_dir" -> filesystem.makeDirectory(request);
            case "move" -> filesystem.move(request);
            case "remove" -> filesystem.remove(request);
            default -> throw new IllegalStateException(route.operation());
        };
        return new Answer.Whole(200, Map.of("Content-Type", "application/json"), Json.bytes(result));
    }

    private static Map<String, String> environment(Machine machine, String user) throws InterruptedException {
        var env = new LinkedHashMap<String, String>();
        env.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        env.put("USER", user);
        env.put("LOGNAME", user);
        env.put("E2B_SANDBOX", "true");
        env.put("E2B_SANDBOX_ID", machine.id());
        env.putAll(machine.order().env());
        return env;
    }

    private record Address(String id, String port) {}

    /// By both headers, else by the host's name.
    private static Address address(Call call) throws Refused {
        var id = call.header("E2b-Sandbox-Id");
        var port = call.header("E2b-Sandbox-Port");
        if (id.isPresent() && port.isPresent()) return new Address(id.get(), port.get());
        if (id.isPresent() || port.isPresent()) throw new Refused(Answer.text(400, "missing header"));
        Matcher host = HOST.matcher(call.header("Host").orElse(""));
        if (!host.matches()) throw new Refused(Answer.text(400, "invalid host"));
        return new Address(host.group(2), host.group(1));
    }

    private static Answer edge(String id, String message) {
        var body = new LinkedHashMap<String, Object>();
        body.put("sandboxId", id);
        body.put("message", message);
        body.put("code", 502);
        return Answer.json(502, body);
    }

    /// Whom a request names by Basic authentication, which is no credential.
    private static Optional<String> user(Call call) {
        return call.header("Authorization")
                .filter(value -> value.startsWith("Basic "))
                .map(value -> new String(Base64.getDecoder().decode(value.substring(6)), StandardCharsets.UTF_8))
                .map(pair -> pair.substring(0, Math.max(0, pair.indexOf(':'))))
                .filter(name -> !name.isEmpty());
    }

    private static boolean isType(Call call, String type) {
        return call.header("Content-Type").orElse("").split(";", 2)[0].equals(type);
    }

    private static Optional<Long> number(Call call, String header) throws Refused {
        try {
            return call.header(header).map(Long::parseLong);
        } catch (NumberFormatException _) {
            throw RpcError.of("invalid_argument", "protocol error: invalid timeout")
                    .ended();
        }
    }
}
