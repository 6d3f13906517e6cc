package hermit.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What was once asked and answered, as it was written down.
record Transcript(String name, List<Exchange> exchanges) {
    static final JsonMapper JSON = new JsonMapper();

    record Exchange(Asked request, Answered response) {}

    @SuppressWarnings("ArrayRecordComponent") // nobody compares it
    record Asked(String method, String target, Map<String, String> headers, byte[] body) {}

    /// - `frames`: of a stream; flags and message.
    record Answered(int status, Map<String, String> headers, String body, Optional<List<Frame>> frames) {}

    record Frame(int flags, JsonNode message) {}

    static Transcript read(String name) {
        try (var in = Transcript.class.getResourceAsStream("/e2b/" + name + ".json")) {
            if (in == null) throw new IllegalArgumentException("no transcript " + name);
            JsonNode root = JSON.readTree(in);
            var exchanges = new ArrayList<Exchange>();
            if (root.has("exchanges")) root.path("exchanges").forEach(each -> exchanges.add(exchange(each)));
            else exchanges.add(exchange(root));
            return new Transcript(name, exchanges);
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
    }

    private static Exchange exchange(JsonNode node) {
        JsonNode request = node.path("request");
        String query = request.path("rawQuery").asText("");
        JsonNode response = node.path("response");
        return new Exchange(
                new Asked(
                        request.path("method").asText(),
                        request.path("path").asText() + (query.isEmpty() ? "" : "?" + query),
                        headers(request),
                        body(request)),
                new Answered(
                        response.path("status").asInt(),
                        headers(response),
                        response.has("bodyDecodedText")
                                ? response.path("bodyDecodedText").asText()
                                : response.path("bodyText").asText(""),
                        response.has("frames") ? Optional.of(frames(response.path("frames"))) : Optional.empty()));
    }

    private static byte[] body(JsonNode message) {
        if (message.has("bodyBase64"))
            return Base64.getDecoder().decode(message.path("bodyBase64").asText());
        return message.path("bodyText").asText("").getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, String> headers(JsonNode message) {
        var headers = new HashMap<String, String>();
        message.path("headers")
                .properties()
                .forEach(each -> headers.put(each.getKey(), each.getValue().asText()));
        return headers;
    }

    private static List<Frame> frames(JsonNode list) {
        var frames = new ArrayList<Frame>();
        list.forEach(each -> frames.add(
                new Frame(each.path("flags").asInt(), parse(each.path("text").asText()))));
        return frames;
    }

    static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }
}
