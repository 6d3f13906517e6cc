package hermit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.api.ApiJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Sends requests to a server under test, with the admin's token unless it is told another one.
public final class TestClient implements AutoCloseable {
    public static final String TOKEN = "hat_0123456789abcdefghijklmnopqrstuvwxyz";

    private final int port;
    private final Optional<String> token;
    private final HttpClient client = HttpClient.newHttpClient();
    private final JsonMapper json = ApiJson.mapper();

    public TestClient(int port) {
        this(port, Optional.of(TOKEN));
    }

    private TestClient(int port, Optional<String> token) {
        this.port = port;
        this.token = token;
    }

    /// Of somebody else.
    public TestClient as(String otherToken) {
        return new TestClient(port, Optional.of(otherToken));
    }

    /// Of nobody.
    public TestClient anonymous() {
        return new TestClient(port, Optional.empty());
    }

    public TestClient(int port, String token) {
        this(port, Optional.of(token));
    }

    /// An answer, read as JSON where it is some.
    public record Answer(int status, Map<String, List<String>> headers, String text, JsonMapper json) {
        public Map<String, Object> object() {
            try {
                return json.readValue(text, new TypeReference<>() {});
            } catch (JsonProcessingException e) {
                throw new AssertionError("no JSON object: " + text, e);
            }
        }

        @SuppressWarnings("unchecked")
        public List<Map<String, Object>> items() {
            return (List<Map<String, Object>>) object().getOrDefault("items", List.of());
        }

        /// The code of a problem.
        public Object code() {
            return object().getOrDefault("code", "none");
        }

        /// The fields that a problem names.
        @SuppressWarnings("unchecked")
        public List<String> paths() {
            var errors = (List<Map<String, Object>>) object().getOrDefault("errors", List.of());
            return errors.stream().map(each -> String.valueOf(each.get("path"))).toList();
        }

        public String header(String name) {
            return String.join(", ", headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of()));
        }
    }

    public Answer get(String path) {
        return send(request(path));
    }

    public Answer post(String path, Object body) {
        return send("POST", path, write(body));
    }

    public Answer put(String path, Object body) {
        return send("PUT", path, write(body));
    }

    public Answer patch(String path, Object body) {
        return send("PATCH", path, write(body));
    }

    public Answer delete(String path) {
        return send(request(path).DELETE());
    }

    /// With a body as it is written here.
    public Answer send(String method, String path, String body) {
        return send(
                request(path).header("Content-Type", "application/json").method(method, BodyPublishers.ofString(body)));
    }

    public HttpRequest.Builder request(String path) {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        token.ifPresent(each -> request.header("Authorization", "Bearer " + each));
        return request;
    }

    public Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.headers().map(), response.body(), json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String write(Object body) {
        try {
            return json.writeValueAsString(body);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
