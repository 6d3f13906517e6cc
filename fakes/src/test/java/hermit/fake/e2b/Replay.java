package hermit.fake.e2b;

import hermit.fake.e2b.Transcript.Frame;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/// Sends what was recorded to a fake, with the names that things have there, and returns what comes back with the
/// recorded names.
final class Replay {
    /// Decided by the client.
    private static final Set<String> OWN_HEADERS =
            Set.of("content-length", "transfer-encoding", "connection", "host", "accept-encoding");

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI fake;
    /// Recorded word to the fake's.
    private final Map<String, String> names;

    Replay(URI fake, Map<String, String> names) {
        this.fake = fake;
        this.names = new HashMap<>(names);
    }

    record Got(int status, Map<String, String> headers, String body, List<Frame> frames) {}

    /// One for each exchange, in order. A stream is left open while what follows it is sent.
    List<Got> all(Transcript transcript) throws IOException, InterruptedException, ExecutionException {
        var answers = new ArrayList<CompletableFuture<Got>>();
        for (var exchange : transcript.exchanges()) {
            var response = client.send(request(exchange.request()), BodyHandlers.ofInputStream());
            boolean streams =
                    response.headers().firstValue("content-type").orElse("").startsWith("application/connect+json");
            if (!streams) {
                learnCursor(exchange.response(), response);
                answers.add(CompletableFuture.completedFuture(whole(response)));
                continue;
            }
            var in = new DataInputStream(response.body());
            var first = frame(in);
            learnPid(exchange.response().frames().orElseThrow(), first);
            var rest = new CompletableFuture<Got>();
            Thread.ofVirtual().start(() -> finish(rest, response, first, in));
            answers.add(rest);
        }
        var all = new ArrayList<Got>();
        for (var each : answers) all.add(each.get());
        return all;
    }

    private HttpRequest request(Transcript.Asked asked) {
        var request = HttpRequest.newBuilder(fake.resolve(there(asked.target())))
                .method(asked.method(), BodyPublishers.ofByteArray(body(asked)));
        asked.headers().forEach((name, value) -> {
            if (!OWN_HEADERS.contains(name)) request.setHeader(name, there(value));
        });
        if (asked.headers().containsKey("e2b-sandbox-id")) request.setHeader("e2b-sandbox-port", "49983");
        return request.build();
    }

    /// A frame's length changes with the words in it.
    private byte[] body(Transcript.Asked asked) {
        byte[] body = asked.body();
        if (!asked.headers().getOrDefault("content-type", "").equals("application/connect+json")) {
            String text = new String(body, StandardCharsets.UTF_8);
            return text.startsWith("{") ? there(text).getBytes(StandardCharsets.UTF_8) : body;
        }
        byte[] message = there(new String(body, 5, body.length - 5, StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + message.length)
                .put(body[0])
                .putInt(message.length)
                .put(message)
                .array();
    }

    private void learnPid(List<Frame> recorded, Frame first) {
        String there = first.message().at("/event/start/pid").asText();
        if (!there.isEmpty())
            names.put(
                    "\"pid\":"
                            + recorded.getFirst()
                                    .message()
                                    .at("/event/start/pid")
                                    .asText(),
                    "\"pid\":" + there);
    }

    private void learnCursor(Transcript.Answered recorded, HttpResponse<?> response) {
        String name = "x-next-token";
        String theirs = recorded.headers().getOrDefault(name, "");
        if (theirs.isEmpty()) return;
        response.headers().firstValue(name).ifPresent(there -> names.put(encoded(theirs), encoded(there)));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private String there(String text) {
        String result = text;
        for (var each : names.entrySet()) result = result.replace(each.getKey(), each.getValue());
        return result;
    }

    private String back(String text) {
        String result = text;
        for (var each : names.entrySet()) result = result.replace(each.getValue(), each.getKey());
        return result;
    }

    private Got whole(HttpResponse<InputStream> response) throws IOException {
        try (var in = response.body()) {
            String body = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Got(response.statusCode(), headers(response), back(body), List.of());
        }
    }

    private void finish(
            CompletableFuture<Got> rest, HttpResponse<InputStream> response, Frame first, DataInputStream in) {
        try (in) {
            var frames = new ArrayList<>(List.of(first));
            while (frames.getLast().flags() != 2) frames.add(frame(in));
            rest.complete(new Got(response.statusCode(), headers(response), "", frames));
        } catch (IOException | RuntimeException e) {
            rest.completeExceptionally(e);
        }
    }

    private Frame frame(DataInputStream in) throws IOException {
        int flags = in.read();
        if (flags < 0) throw new EOFException("the stream has no end");
        String message = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
        return new Frame(flags, Transcript.parse(back(message)));
    }

    private static Map<String, String> headers(HttpResponse<?> response) {
        var headers = new HashMap<String, String>();
        response.headers().map().forEach((name, values) -> headers.put(name, values.getFirst()));
        return headers;
    }
}
