package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;

/// One recorded request of the official SDK, and the answer that it accepted.
record Transcript(String name, JsonNode request, JsonNode response) {
    private static final ObjectMapper JSON = new ObjectMapper();
    /// The sandbox that most of them speak of.
    static final String RECORDED_ID = "6f0c1f5e-3d1b-4d2a-9f57-0d8f2b6f1a10";

    private static final Set<String> OURS_TO_SET = Set.of("transfer-encoding");

    static Transcript read(String name) throws IOException {
        try (InputStream in = Transcript.class.getResourceAsStream("/daytona/%s.json".formatted(name))) {
            if (in == null) throw new IOException("no transcript " + name);
            var json = JSON.readTree(in);
            return new Transcript(name, json.get("request"), json.get("response"));
        }
    }

    /// Sends the request as it was recorded, but to this sandbox.
    HttpResponse<byte[]> replay(HttpClient client, String origin, String id) throws IOException, InterruptedException {
        String query = request.path("query").asText();
        String target = request.path("path").asText().replace(RECORDED_ID, id) + (query.isEmpty() ? "" : "?" + query);
        byte[] body = request.has("bodyBase64")
                ? Base64.getDecoder().decode(request.get("bodyBase64").asText())
                : request.path("bodyText").asText().getBytes(StandardCharsets.UTF_8);
        var builder = HttpRequest.newBuilder(URI.create(origin + target))
                .method(request.get("method").asText(), HttpRequest.BodyPublishers.ofByteArray(body));
        request.get("headers").properties().forEach(header -> {
            if (!OURS_TO_SET.contains(header.getKey()))
                builder.header(header.getKey(), header.getValue().asText());
        });
        return client.send(builder.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    int status() {
        return response.get("status").asInt();
    }

    String contentType() {
        return response.path("headers").path("content-type").asText();
    }

    String body() {
        return response.has("bodyBase64")
                ? new String(
                        Base64.getDecoder().decode(response.get("bodyBase64").asText()), StandardCharsets.ISO_8859_1)
                : response.path("bodyText").asText();
    }
}
