package hermit.backend.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.http.HttpHeaders;

/// What the provider said.
final class Answer {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final int status;
    private final HttpHeaders headers;
    private final byte[] body;

    Answer(int status, HttpHeaders headers, byte[] body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    int status() {
        return status;
    }

    HttpHeaders headers() {
        return headers;
    }

    boolean isGood() {
        return status >= 200 && status < 300;
    }

    /// A missing node where it is no JSON: errors may come as HTML, or empty.
    JsonNode json() {
        try {
            return MAPPER.readTree(body);
        } catch (IOException _) {
            return MissingNode.getInstance();
        }
    }

    /// The provider's own sentence.
    String message() {
        var json = json();
        for (String key : new String[] {"message", "error"}) {
            String text = json.path(key).asText("");
            if (!text.isEmpty()) return text;
        }
        return "it said nothing";
    }
}
