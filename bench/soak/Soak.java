import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/// Runs thousands of mixed commands over eight Docker sandboxes while the gateway is killed, containers are killed, removed and paused, and
/// clients go away; then looks for outcomes that are lost, doubled or untrue, and for anything that is left over. Run it with
/// `java bench/soak/Soak.java [commands [seed]]` from the repository's root, after `./hermit build`; it has a gateway and a home of its own.
///
/// Every command first adds its number to a file in the workspace, which outlives the containers: so it is known what really ran, and how often.
public final class Soak {
    private static final int SANDBOXES = 8;
    private static final int CLIENTS = 16;
    private static final String IMAGE = System.getenv().getOrDefault("HERMIT_BENCH_IMAGE", "hermit-base:bookworm");
    private static final String SANDBOX = "/api/agents/soak/sandboxes/";
    /// How long a client tries again while the gateway is away.
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(5)).build();
    private final Path home;
    private final int port;
    private final long seed;
    private String token = "";
    private final Map<Integer, String> outcomes = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    private final List<String> faults = new ArrayList<>();
    private final AtomicBoolean calm = new AtomicBoolean();

    private Soak(Path home, int port, long seed) {
        this.home = home;
        this.port = port;
        this.seed = seed;
    }

    public static void main(String[] arguments) throws Exception {
        int commands = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20_000;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : System.nanoTime();
        Path home = Files.createTempDirectory("hermit-soak");
        int port;
        try (var socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        Files.writeString(home.resolve("gateway.json"), "{\"server\": {\"port\": %d}}".formatted(port));
        System.out.printf("%d commands, seed %d, home %s%n", commands, seed, home);
        var soak = new Soak(home, port, seed);
        try {
            soak.run(commands);
        } finally {
            soak.hermit("gateway", "stop");
        }
        if (!soak.faults.isEmpty()) System.exit(1);
    }

    private void run(int commands) throws Exception {
        String started = hermit("gateway", "start");
        if (!Files.exists(home.resolve("admin-token"))) throw new IOException("the gateway does not start: " + started);
        token = Files.readString(home.resolve("admin-token")).strip();
        ask("POST", "/api/agents", "{\"id\":\"soak\",\"sandbox\":null}");
        for (int i = 0; i < SANDBOXES; i++)
            ask("POST", "/api/agents/soak/sandboxes", "{\"type\":\"docker\",\"alias\":\"s%d\",\"config\":{\"image\":\"%s\"}}".formatted(i, IMAGE));
        burst(0, 200);
        var before = new Figures(gateway(), processes());
        System.out.println("before: " + before);

        var chaos = Thread.ofVirtual().start(this::makeTrouble);
        burst(200, commands);
        calm.set(true);
        chaos.join();
        burst(commands, commands + 200);

        verify(commands + 200);
        Thread.sleep(20_000); // idle connections and caches are let go of
        var after = new Figures(gateway(), processes());
        System.out.println("after:  " + after);
        compare(before, after);
        ask("DELETE", "/api/agents/soak", "");
        check(containers().isEmpty(), "containers are left: " + containers());
        System.out.println("outcomes: " + new TreeMap<>(counts));
        System.out.println(faults.isEmpty() ? "nothing lost, nothing doubled, nothing left over" : "FAULTS:\n  " + String.join("\n  ", faults.subList(0, Math.min(50, faults.size()))));
    }

    private void burst(int from, int to) throws Exception {
        var next = new AtomicInteger(from);
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++)
                clients.submit(() -> {
                    for (int n; (n = next.getAndIncrement()) < to; ) {
                        try {
                            one(n);
                        } catch (Exception e) {
                            fault("command %d: %s".formatted(n, e));
                        }
                        if (n % 1000 == 0) System.out.printf("%d %s%n", n, new TreeMap<>(counts));
                    }
                });
        }
    }

    /// One command of some kind, and what its outcome must be.
    private void one(int n) throws Exception {
        var random = new Random(seed * 31 + n);
        String mark = "echo %d >> ran; ".formatted(n);
        String execs = SANDBOX + "s" + random.nextInt(SANDBOXES) + "/execs";
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> expect(n, run(execs, n, mark + "echo out; echo err >&2; exit " + n % 7, "", false), "exited", n % 7);
            case 3 -> expect(n, run(execs, n, mark + "head -c 300000 /dev/zero | tr '\\\\0' x; exit 3", "", false), "exited", 3);
            case 4 -> expect(n, run(execs, n, mark + "(setsid sleep 300 &) ; sleep 30", ",\"timeout_ms\":300", false), "timed_out", 137);
            case 5 -> expect(n, run(execs, n, mark + "cat | wc -c", ",\"stdin\":\"%s\"".formatted("y".repeat(random.nextInt(100_000))), false), "exited", 0);
            case 6, 7 -> expect(n, run(execs, n, mark + "for i in 1 2 3; do echo $i; sleep 0.1; done", "", true), "exited", 0);
            case 8 -> {
                String id = field(start(execs, n, mark + "sleep 60", ",\"background\":true"), "exec_id");
                ask("DELETE", execs + "/" + id, "");
                expect(n, ended(execs, id), "cancelled", -1);
            }
            default -> {
                leave(execs, n, mark + "echo a; sleep 0.2; echo b"); // a client that goes away in the middle
                expect(n, run(execs, n, mark + "echo a; sleep 0.2; echo b", "", false), "exited", 0);
            }
        }
    }

    private String run(String execs, int n, String command, String more, boolean background) throws Exception {
        String answer = start(execs, n, command, more + (background ? ",\"background\":true" : ""));
        return answer.contains("\"state\":\"ended\"") ? answer : ended(execs, field(answer, "exec_id"));
    }

    /// The same request until it is answered: the key makes it one command, however often the gateway dies meanwhile.
    private String start(String execs, int n, String command, String more) throws Exception {
        return ask("POST", execs, "{\"command\":\"%s\",\"idempotency_key\":\"n%d\"%s}".formatted(command, n, more));
    }

    private String ended(String execs, String id) throws Exception {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < until) {
            String answer = ask("GET", execs + "/" + id + "?wait_ms=5000", "");
            if (answer.contains("\"state\":\"ended\"")) return answer;
            Thread.sleep(200);
        }
        throw new IOException("no end of " + id);
    }

    private void leave(String execs, int n, String command) {
        var request = request(execs).header("Accept", "text/event-stream").header("Content-Type", "application/json").POST(BodyPublishers.ofString("{\"command\":\"%s\",\"idempotency_key\":\"n%d\"}".formatted(command, n))).build();
        try (var lines = http.send(request, BodyHandlers.ofLines()).body()) {
            lines.limit(3).forEach(_ -> {});
        } catch (Exception e) {
            count("a client that went away saw " + e.getClass().getSimpleName());
        }
    }

    private void expect(int n, String answer, String reason, int code) {
        String got = field(answer, "end_reason");
        outcomes.put(n, got);
        count(got);
        boolean disturbed = List.of("sandbox_lost", "gateway_restarted", "transport_lost").contains(got);
        if (disturbed) return;
        if (!got.equals(reason)) fault("command %d ended as %s, not %s: %s".formatted(n, got, reason, answer.substring(0, Math.min(400, answer.length()))));
        else if (code >= 0 && !field(answer, "exit_code").equals(Integer.toString(code))) fault("command %d has code %s, not %d".formatted(n, field(answer, "exit_code"), code));
    }

    private void makeTrouble() {
        var random = new Random(seed);
        while (!calm.get()) {
            try {
                Thread.sleep(2_000 + random.nextInt(4_000));
                List<String> containers = containers();
                String victim = containers.isEmpty() ? "" : containers.get(random.nextInt(containers.size()));
                switch (random.nextInt(6)) {
                    case 0, 1, 2 -> {
                        count("gateway killed");
                        command("kill", "-9", Files.readString(home.resolve("gateway.pid")).lines().findFirst().orElseThrow());
                        hermit("gateway", "start");
                    }
                    case 3 -> trouble("container killed", "docker", "kill", victim);
                    case 4 -> trouble("container removed", "docker", "rm", "-f", victim);
                    default -> trouble("container paused", "docker", "pause", victim);
                }
            } catch (IOException | InterruptedException e) {
                System.out.println("trouble failed: " + e.getMessage());
            }
        }
    }

    private void trouble(String what, String... command) throws IOException, InterruptedException {
        count(what);
        command(command);
    }

    /// What the workspace says really ran, against what the gateway says.
    private void verify(int commands) throws Exception {
        String path = "/api/agents/soak/sandboxes/s0/execs";
        var ran = new HashMap<Integer, Integer>();
        int lines = Integer.parseInt(stdout(ask("POST", path, "{\"command\":\"wc -l < ran\"}")).strip());
        for (int from = 1; from <= lines; from += 20_000)
            stdout(ask("POST", path, "{\"command\":\"sed -n '%d,%dp' ran\",\"max_output_bytes\":1000000}".formatted(from, from + 19_999)))
                    .lines().forEach(line -> ran.merge(Integer.parseInt(line), 1, Integer::sum));
        ran.forEach((n, times) -> check(times == 1, "command %d ran %d times".formatted(n, times)));
        for (int n = 0; n < commands; n++) {
            String outcome = outcomes.getOrDefault(n, "none");
            check(!outcome.equals("none"), "command %d has no outcome".formatted(n));
            if (outcome.equals("exited")) check(ran.containsKey(n), "command %d has ended, but never ran".formatted(n));
            if (outcome.equals("not_started")) check(!ran.containsKey(n), "command %d has run, though it is said not to have started".formatted(n));
        }
        for (int i = 0; i < SANDBOXES; i++) {
            String running = ask("GET", SANDBOX + "s" + i + "/execs?limit=200", "");
            check(!running.contains("\"state\":\"running\"") && !running.contains("\"state\":\"starting\""), "sandbox s%d still runs something".formatted(i));
        }
    }

    private void compare(Figures before, Figures after) throws Exception {
        check(after.gateway[0] <= before.gateway[0] + 20, "threads: " + before.gateway[0] + " → " + after.gateway[0]);
        check(after.gateway[1] <= before.gateway[1] + 20, "descriptors: " + before.gateway[1] + " → " + after.gateway[1]);
        check(after.gateway[2] <= before.gateway[2] * 13 / 10 + 20_000, "memory in KB: " + before.gateway[2] + " → " + after.gateway[2]);
        for (int i = 0; i < SANDBOXES; i++) check(after.processes[i] <= before.processes[i] + 2, "processes in s%d: %d → %d".formatted(i, before.processes[i], after.processes[i]));
        check(containers().size() == SANDBOXES, "containers: " + containers());
    }

    private record Figures(long[] gateway, int[] processes) {
        @Override
        public String toString() {
            return "gateway threads %d, descriptors %d, RSS %d KB; processes in the sandboxes %s".formatted(gateway[0], gateway[1], gateway[2], Arrays.toString(processes));
        }
    }

    private long[] gateway() throws IOException {
        String pid = Files.readString(home.resolve("gateway.pid")).lines().findFirst().orElseThrow();
        String status = Files.readString(Path.of("/proc", pid, "status"));
        try (var descriptors = Files.list(Path.of("/proc", pid, "fd"))) {
            return new long[] {number(status, "Threads:\\s+(\\d+)"), descriptors.count(), number(status, "VmRSS:\\s+(\\d+)")};
        }
    }

    private int[] processes() throws Exception {
        var counts = new int[SANDBOXES];
        for (int i = 0; i < SANDBOXES; i++)
            counts[i] = Integer.parseInt(stdout(ask("POST", SANDBOX + "s" + i + "/execs", "{\"command\":\"ls -d /proc/[0-9]* | wc -l\"}")).strip());
        return counts;
    }

    private List<String> containers() throws IOException, InterruptedException {
        return command("docker", "ps", "-a", "--filter", "name=hermit-soak-", "--format", "{{.Names}}").lines().filter(each -> !each.isBlank()).toList();
    }

    /// Asks until there is an answer. What is no success and will not become one is an error.
    private String ask(String method, String path, String body) throws Exception {
        long until = System.nanoTime() + PATIENCE.toNanos();
        String last = "";
        while (System.nanoTime() < until) {
            try {
                var request = request(path).timeout(Duration.ofMinutes(2));
                if (!body.isEmpty()) request.header("Content-Type", "application/json");
                HttpResponse<String> response = http.send(request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
                if (response.statusCode() < 300) return response.body();
                last = response.statusCode() + " " + response.body();
                if (!List.of(409, 429, 502, 503).contains(response.statusCode())) throw new IllegalStateException(method + " " + path + ": " + last);
                count("answered " + response.statusCode());
            } catch (IOException e) {
                last = e.toString();
            }
            Thread.sleep(300);
        }
        throw new IOException(method + " " + path + ": " + last);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).header("Authorization", "Bearer " + token);
    }

    private String hermit(String... arguments) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of("./hermit"));
        all.addAll(List.of(arguments));
        return command(all.toArray(String[]::new));
    }

    private String command(String... command) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HERMIT_HOME", home.toString());
        builder.environment().keySet().removeAll(List.of("HERMIT_URL", "HERMIT_TOKEN", "HERMIT_ADMIN_TOKEN", "DATABASE_URL"));
        Process process = builder.start();
        try (var reader = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String output = String.join("\n", reader.lines().toList());
            process.waitFor();
            return output;
        }
    }

    private void count(String what) {
        counts.computeIfAbsent(what, _ -> new AtomicInteger()).incrementAndGet();
    }

    private synchronized void fault(String what) {
        faults.add(what);
        System.out.println("FAULT " + what);
    }

    private void check(boolean fine, String otherwise) {
        if (!fine) fault(otherwise);
    }

    private static String field(String json, String name) {
        var matcher = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
        if (!matcher.find()) throw new IllegalStateException("no " + name + " in " + json);
        return matcher.group(1);
    }

    private static String stdout(String json) {
        String key = "\"stdout\":\"";
        int from = json.indexOf(key);
        if (from < 0) throw new IllegalStateException("no stdout in " + json);
        from += key.length();
        int to = from;
        while (json.charAt(to) != '"') to += json.charAt(to) == '\\' ? 2 : 1;
        return json.substring(from, to).replace("\\n", "\n");
    }

    private static long number(String text, String pattern) {
        var matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) throw new IllegalStateException("no " + pattern);
        return Long.parseLong(matcher.group(1));
    }
}
