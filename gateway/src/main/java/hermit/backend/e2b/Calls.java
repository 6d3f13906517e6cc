package hermit.backend.e2b;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// HTTP as both planes need it: answers that are bounded in time and size, and streams.
///
/// Over HTTP/1.1 only, on which everything was recorded: each open stream then has a connection of its own.
final class Calls implements AutoCloseable {
    /// A page of the list has 100 sandboxes, each with its metadata.
    private static final int LARGEST_ANSWER = 8 << 20;
    /// Of what a person is told.
    private static final int LONGEST_MESSAGE = 300;

    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(10);

    static final JsonMapper JSON = new JsonMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(50).build())
            .build());

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER) // a key is for one address
            .connectTimeout(CONNECT_WITHIN)
            .build();

    /// - `json`: missing if the body is none.
    record Answer(int status, HttpHeaders headers, JsonNode json, String text) {
        boolean isSuccess() {
            return status / 100 == 2;
        }

        /// What the provider says of a failure, in one short line.
        String message() {
            String said = json.path("message").asText("");
            if (said.isEmpty()) said = json.isMissingNode() && text.startsWith("<") ? "" : text;
            String line = said.replaceAll("\\p{Cntrl}+", " ").strip();
            if (line.length() > LONGEST_MESSAGE) line = line.substring(0, LONGEST_MESSAGE) + "…";
            return line.isEmpty() ? "status " + status : "%d: %s".formatted(status, line);
        }

        Optional<String> header(String name) {
            return headers.firstValue(name);
        }
    }

    /// Starts a request to this address; an address always comes with what it needs of a base.
    static HttpRequest.Builder to(URI base, String path) {
        String prefix = base.toString().replaceAll("/+$", "");
        return HttpRequest.newBuilder(URI.create(prefix + path))
                .setHeader("User-Agent", "hermit")
                .setHeader("Accept", "application/json");
    }

    /// Throws [HttpTimeoutException] if the whole answer is not there in time, another [IOException] if none came.
    Answer call(HttpRequest request, Duration within) throws IOException, InterruptedException {
        var response = await(
                client.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST_ANSWER)), within);
        String text = new String(response.body(), StandardCharsets.UTF_8);
        return new Answer(response.statusCode(), response.headers(), json(text), text);
    }

    /// The head of an answer in time; its body comes as it comes.
    HttpResponse<InputStream> open(HttpRequest request, Duration within) throws IOException, InterruptedException {
        return await(client.sendAsync(request, BodyHandlers.ofInputStream()), within);
    }

    /// Reads a body to its end that was opened as a stream.
    static Answer rest(HttpResponse<InputStream> response, Duration within) throws IOException, InterruptedException {
        var body = response.body();
        String text = Bounded.read(
                within,
                "the answer has no end",
                () -> close(body),
                () -> new String(body.readNBytes(LARGEST_ANSWER), StandardCharsets.UTF_8));
        close(body);
        return new Answer(response.statusCode(), response.headers(), json(text), text);
    }

    static void close(InputStream stream) {
        try {
            stream.close();
        } catch (IOException _) {
            // It is given up anyway.
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }

    private static <T> T await(CompletableFuture<T> answer, Duration within) throws IOException, InterruptedException {
        try {
            return answer.get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw (IOException) new HttpTimeoutException("no answer within %s"
                            .formatted(within.toString().substring(2).toLowerCase(Locale.ROOT)))
                    .initCause(e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
            throw new IOException(why, cause);
        }
    }

    private static JsonNode json(String text) {
        try {
            var node = JSON.readTree(text);
            // "404 page not found" begins with a number, too.
            return node.isContainerNode() ? node : MissingNode.getInstance();
        } catch (IOException _) {
            return MissingNode.getInstance(); // a load balancer's page, or nothing
        }
    }
}
