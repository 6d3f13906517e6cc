import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Measures the first page of `GET /api/sandboxes` with many rows. Run it with `java bench/ListBench.java [rows]` against a gateway with a throw-away HERMIT_HOME:
/// it makes agents `list-0 …` with one sandbox each (10,000 unless told otherwise) and leaves them.
public final class ListBench {
    private ListBench() {}

    public static void main(String[] args) throws Exception {
        int rows = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        String url = System.getenv().getOrDefault("HERMIT_URL", "http://127.0.0.1:4000");
        Path home = Path.of(System.getenv().getOrDefault("HERMIT_HOME", System.getProperty("user.home") + "/.hermit"));
        String token = System.getenv().containsKey("HERMIT_TOKEN") ? System.getenv("HERMIT_TOKEN") : Files.readString(home.resolve("admin-token")).strip();
        var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try (var pool = Executors.newFixedThreadPool(8)) {
            var made = new ArrayList<Future<Integer>>();
            for (int i = 0; i < rows; i++) {
                String body = "{\"id\":\"list-%d\"}".formatted(i);
                made.add(pool.submit(() -> http.send(
                                HttpRequest.newBuilder(URI.create(url + "/api/agents"))
                                        .header("Authorization", "Bearer " + token)
                                        .header("Content-Type", "application/json")
                                        .POST(BodyPublishers.ofString(body))
                                        .build(),
                                BodyHandlers.ofString())
                        .statusCode()));
            }
            for (Future<Integer> each : made) if (each.get() != 201 && each.get() != 409) throw new IllegalStateException("create answered " + each.get());
        }
        var request = HttpRequest.newBuilder(URI.create(url + "/api/sandboxes")).header("Authorization", "Bearer " + token).build();
        var times = new ArrayList<Double>();
        for (int i = 0; i < 1_200; i++) {
            long begin = System.nanoTime();
            var response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 200) throw new IllegalStateException(response.body());
            if (i >= 200) times.add((System.nanoTime() - begin) / 1e6);
        }
        times.sort(null);
        System.out.printf(Locale.ROOT, "first page of %d rows: p50 %.1f ms, p99 %.1f ms%n", rows, times.get(500), times.get(990));
    }
}
