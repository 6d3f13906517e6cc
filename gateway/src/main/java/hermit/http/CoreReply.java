package hermit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.api.Problem;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/// Answers below the servlet layer, for requests that never reach a route.
final class CoreReply {
    private final JsonMapper json;

    CoreReply(JsonMapper json) {
        this.json = json;
    }

    void problem(Response response, Callback callback, Problems.Answer answer) {
        byte[] body;
        try {
            body = json.writeValueAsBytes(answer.problem());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a problem is always JSON", e);
        }
        response.setStatus(answer.problem().status());
        HttpFields.Mutable headers = response.getHeaders();
        secure(headers);
        answer.headers().forEach(headers::put);
        headers.put(HttpHeader.CONTENT_TYPE, Problem.MEDIA_TYPE);
        headers.put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
    }

    /// What every response says to a browser: show it nowhere else, guess nothing, keep nothing.
    static void secure(HttpFields.Mutable headers) {
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        headers.put("X-Frame-Options", "DENY");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    }
}
