package hermit.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/// One that hears text as JSON objects.
public interface JsonWebSocketSession extends WebSocketSession {
    void hear(WebSocketPeer peer, Map<String, Object> message) throws InterruptedException;

    @Override
    default void hear(WebSocketPeer peer, String text) throws InterruptedException {
        hear(peer, StrictJson.object(text.getBytes(StandardCharsets.UTF_8)));
    }
}
