import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Measures commands through the HTTP API against the docker command line on the same container. Run it with `java bench/ExecBench.java`
/// against a gateway that runs on this host; it makes an agent `bench` for itself and deletes it at the end.
///
/// Arguments: `warm`, `parallel`, `stream`, `first`; without any, all four.
public final class ExecBench {
    private static final String URL = env("HERMIT_URL", "http://127.0.0.1:4000");
    private static final String IMAGE = env("HERMIT_BENCH_IMAGE", "hermit-base:bookworm");
    private static final String AGENT = "bench";
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static String token = "";

    private ExecBench() {}

    public static void main(String[] args) throws Exception {
        System.setProperty("http.maxConnections", "32"); // as many as are used at once stay open
        token = System.getenv().containsKey("HERMIT_TOKEN") ? System.getenv("HERMIT_TOKEN") : Files.readString(home().resolve("admin-token")).strip();
        List<String> which = args.length == 0 ? List.of("warm", "parallel", "stream", "first") : List.of(args);
        delete("/api/agents/" + AGENT);
        post("/api/agents", "{\"id\":\"%s\",\"sandbox\":null}".formatted(AGENT), 201);
        try {
            String container = sandbox("default");
            exec("default", "true");
            if (which.contains("warm")) warm(container);
            if (which.contains("parallel")) parallel(container);
            if (which.contains("stream")) stream(container);
            if (which.contains("first")) first();
        } finally {
            delete("/api/agents/" + AGENT);
        }
    }

    private static void warm(String container) throws Exception {
        for (int i = 0; i < 300; i++) exec("default", "true");
        var ours = new ArrayList<Double>();
        var theirs = new ArrayList<Double>();
        for (int i = 0; i < 40; i++) {
            for (int j = 0; j < 10; j++) ours.add(time(() -> exec("default", "true")));
            theirs.add(time(() -> docker("exec", container, "sh", "-c", "true")));
        }
        print("warm exec, p50", at(ours, 50), at(theirs, 50));
        print("warm exec, p99", at(ours, 99), at(theirs, 99));
    }

    private static void parallel(String container) throws Exception {
        double ours = throughput(640, () -> exec("default", "true"));
        double theirs = throughput(96, () -> docker("exec", container, "sh", "-c", "true"));
        System.out.printf(Locale.ROOT, "%-28s %10.1f /s %10.1f /s   %.1f x the throughput%n", "32 at once", ours, theirs, ours / theirs);
    }

    private static void stream(String container) throws Exception {
        String command = "yes 'a line of text that is neither long nor short, as programs print them' | head -c 1000000000";
        double ours = time(() -> {
            long bytes = streamed("default", command);
            if (bytes < 1_000_000_000L) throw new IOException("only %d bytes arrived".formatted(bytes));
        });
        Path file = Files.createTempFile("bench", ".out");
        double theirs = time(() -> {
            var process = new ProcessBuilder("docker", "exec", container, "sh", "-c", command).redirectOutput(file.toFile()).start();
            if (process.waitFor() != 0) throw new IOException("docker exec failed");
        });
        Files.delete(file);
        System.out.printf(Locale.ROOT, "%-28s %10.0f MB/s %9.0f MB/s   %.2f x the rate%n", "1 GB of text, streamed", 1e6 / ours, 1e6 / theirs, theirs / ours);
    }

    private static void first() throws Exception {
        var ours = new ArrayList<Double>();
        var theirs = new ArrayList<Double>();
        for (int i = 0; i < 7; i++) {
            String alias = "first" + i;
            sandboxRow(alias);
            ours.add(time(() -> exec(alias, "true")));
            delete("/api/agents/%s/sandboxes/%s".formatted(AGENT, alias));
            theirs.add(time(() -> docker("run", "--rm", "--memory", "2g", "--memory-swap", "2g", "--cpus", "2", "--pids-limit", "512", IMAGE, "sh", "-c", "true")));
        }
        print("first exec on a fresh row", at(ours, 50), at(theirs, 50));
    }

    private static double throughput(int calls, Action call) throws Exception {
        try (var pool = Executors.newFixedThreadPool(32)) {
            var work = new ArrayList<Callable<Void>>();
            for (int i = 0; i < calls; i++) work.add(() -> {
                call.run();
                return null;
            });
            long begin = System.nanoTime();
            for (Future<Void> each : pool.invokeAll(work)) each.get();
            return calls / ((System.nanoTime() - begin) / 1e9);
        }
    }

    private static String sandbox(String alias) throws Exception {
        sandboxRow(alias);
        String row = post("/api/agents/%s/sandboxes/%s/start".formatted(AGENT, alias), "", 200);
        return row.replaceAll("(?s).*\"external_id\":\"([^\"]+)\".*", "$1");
    }

    private static void sandboxRow(String alias) throws Exception {
        post("/api/agents/%s/sandboxes".formatted(AGENT), "{\"type\":\"docker\",\"alias\":\"%s\",\"config\":{\"image\":\"%s\"}}".formatted(alias, IMAGE), 201);
    }

    /// With the JDK's plain client, which does all on the caller's thread. The newer one hands each answer on between threads of its own: on
    /// two processors that was 3 of 10 ms, and no part of the gateway.
    private static void exec(String alias, String command) throws Exception {
        var connection = (HttpURLConnection) URI.create(URL + "/api/agents/%s/sandboxes/%s/execs".formatted(AGENT, alias)).toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Authorization", "Bearer " + token);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        connection.getOutputStream().write("{\"command\":\"%s\"}".formatted(command).getBytes(StandardCharsets.UTF_8));
        if (connection.getResponseCode() != 200) throw new IOException("%s: %d".formatted(alias, connection.getResponseCode()));
        String body = new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!body.contains("\"exit_code\":0")) throw new IOException(body);
    }

    private static long streamed(String alias, String command) throws Exception {
        var request = request("/api/agents/%s/sandboxes/%s/execs".formatted(AGENT, alias))
                .header("Accept", "text/event-stream")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"command\":\"%s\",\"timeout_ms\":600000}".formatted(command)))
                .build();
        long bytes = 0;
        try (InputStream in = HTTP.send(request, BodyHandlers.ofInputStream()).body()) {
            byte[] buffer = new byte[1 << 16];
            for (int n; (n = in.read(buffer)) >= 0; ) bytes += n;
        }
        return bytes;
    }

    private static String post(String path, String body, int status) throws Exception {
        var request = request(path);
        if (!body.isEmpty()) request.header("Content-Type", "application/json");
        var response = HTTP.send(request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
        if (response.statusCode() != status) throw new IOException(path + ": " + response.statusCode() + " " + response.body());
        return response.body();
    }

    private static void delete(String path) throws Exception {
        HTTP.send(request(path).DELETE().build(), BodyHandlers.discarding());
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(URL + path)).timeout(Duration.ofMinutes(15)).header("Authorization", "Bearer " + token);
    }

    private static void docker(String... arguments) throws Exception {
        var command = new ArrayList<String>(List.of("docker"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        byte[] output = process.getInputStream().readAllBytes();
        if (process.waitFor() != 0) throw new IOException(new String(output));
    }

    private static double time(Action action) throws Exception {
        long begin = System.nanoTime();
        action.run();
        return (System.nanoTime() - begin) / 1e6;
    }

    private static double at(List<Double> times, int percentile) {
        var sorted = times.stream().sorted().toList();
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percentile / 100));
    }

    private static void print(String what, double ours, double theirs) {
        System.out.printf(Locale.ROOT, "%-28s %10.1f ms %10.1f ms   %.3f of it (1/%.1f)%n", what, ours, theirs, ours / theirs, theirs / ours);
    }

    private static Path home() {
        String home = System.getenv("HERMIT_HOME");
        return home != null ? Path.of(home) : Path.of(System.getProperty("user.home"), ".hermit");
    }

    private static String env(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null ? otherwise : value;
    }

    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }
}
