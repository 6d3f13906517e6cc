import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Measures what idle followers of a running command cost the gateway: its resident memory with 0, 200, 400 … of them. Run it with
/// `java bench/FollowerBench.java [followers [rounds]]` against a gateway that runs on this Linux host and does nothing else; it makes an agent `bench`
/// for itself and deletes it at the end.
public final class FollowerBench {
    private static final URI URL = URI.create(System.getenv().getOrDefault("HERMIT_URL", "http://127.0.0.1:4000"));
    private static final String IMAGE = System.getenv().getOrDefault("HERMIT_BENCH_IMAGE", "hermit-base:bookworm");
    private static final String AGENT = "/api/agents/bench";
    private static final String EXECS = AGENT + "/sandboxes/default/execs";
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    /// Between the last of a group and the measurement: until the gateway has given back what only opening them took.
    private static final int SETTLE_MS = 5_000;

    private FollowerBench() {}

    public static void main(String[] args) throws Exception {
        int group = args.length > 0 ? Integer.parseInt(args[0]) : 200;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 4;
        String token = System.getenv().containsKey("HERMIT_TOKEN") ? System.getenv("HERMIT_TOKEN") : Files.readString(home().resolve("admin-token")).strip();
        Path status = gateway();
        call("DELETE", AGENT, "", token);
        call("POST", "/api/agents", "{\"id\":\"bench\",\"sandbox\":null}", token);
        call("POST", AGENT + "/sandboxes", "{\"type\":\"docker\",\"config\":{\"image\":\"%s\",\"network\":\"none\"}}".formatted(IMAGE), token);
        var open = new ArrayList<Socket>();
        try {
            String started = call("POST", EXECS, "{\"command\":\"sleep 3600\",\"background\":true}", token);
            String id = find("\"exec_id\":\"([0-9a-f-]+)\"", started);
            follow(id, token, group, open); // what the first ones need is needed once
            close(open);
            Thread.sleep(2 * SETTLE_MS);
            long without = resident(status);
            System.out.printf(Locale.ROOT, "%5d followers: %7.1f MB%n", 0, without / 1e6);
            for (int i = 1; i <= rounds; i++) {
                follow(id, token, group, open);
                Thread.sleep(SETTLE_MS);
                long with = resident(status);
                System.out.printf(Locale.ROOT, "%5d followers: %7.1f MB, %5.1f KB each%n", open.size(), with / 1e6, (with - without) / 1e3 / open.size());
            }
        } finally {
            close(open);
            call("DELETE", AGENT, "", token);
        }
    }

    /// Opens some more, and returns when each of them has been told of the command.
    private static void follow(String id, String token, int count, List<Socket> open) throws IOException {
        for (int i = 0; i < count; i++) {
            var socket = new Socket(URL.getHost(), URL.getPort());
            open.add(socket);
            socket.getOutputStream().write("""
                    GET %s/%s/events HTTP/1.1\r
                    Host: %s:%d\r
                    Authorization: Bearer %s\r
                    \r
                    """.formatted(EXECS, id, URL.getHost(), URL.getPort(), token).getBytes(StandardCharsets.US_ASCII));
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line = in.readLine(); !"event: start".equals(line); line = in.readLine())
                if (line == null) throw new IOException("follower %d was sent away".formatted(open.size()));
        }
    }

    private static void close(List<Socket> open) throws IOException {
        for (Socket each : open) each.close();
        open.clear();
    }

    /// Of the process that listens where we call, found by its socket.
    private static Path gateway() throws IOException {
        String port = "%04X".formatted(URL.getPort());
        var inode = new ArrayList<String>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6"))
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.strip().split("\\s+");
                if (fields[1].endsWith(":" + port) && fields[3].equals("0A")) inode.add("socket:[" + fields[9] + "]");
            }
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes)
                try (var descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
                    for (Path each : descriptors) if (inode.contains(Files.readSymbolicLink(each).toString())) return process.resolve("status");
                } catch (IOException _) {
                    // Another user's process, or one that has ended.
                }
        }
        throw new IOException("no process of this host listens at " + URL);
    }

    private static long resident(Path status) throws IOException {
        return Long.parseLong(find("VmRSS:\\s+(\\d+) kB", Files.readString(status))) * 1024;
    }

    private static String find(String pattern, String text) {
        var matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) throw new IllegalStateException("no %s in %s".formatted(pattern, text));
        return matcher.group(1);
    }

    private static Path home() {
        return Path.of(System.getenv().getOrDefault("HERMIT_HOME", System.getProperty("user.home") + "/.hermit"));
    }

    private static String call(String method, String path, String body, String token) throws Exception {
        var answer = HTTP.send(
                HttpRequest.newBuilder(URL.resolve(path))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
        boolean fine = answer.statusCode() < 300 || method.equals("DELETE") && answer.statusCode() == 404;
        if (!fine) throw new IllegalStateException("%s %s answered %d: %s".formatted(method, path, answer.statusCode(), answer.body()));
        return answer.body();
    }
}
