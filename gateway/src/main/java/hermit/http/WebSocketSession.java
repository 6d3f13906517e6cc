package hermit.http;

import java.util.Map;

/// What a WebSocket is for, once it is open. [#speak] has a thread of its own; what the peer sends is heard on
/// another, one message after the other, and nothing more is read until a call has returned. Refusals are thrown
/// as [hermit.problem.GatewayException]: while speaking, they end the connection; while hearing, the peer is told.
public interface WebSocketSession {
    /// Speaks until there is nothing more to say; the connection is then closed. An interrupt means that the
    /// peer has gone or the server is closing.
    void speak(WebSocketPeer peer) throws InterruptedException;

    /// A binary message.
    void hear(WebSocketPeer peer, byte[] bytes) throws InterruptedException;

    /// A text message, which is always a JSON object.
    void hear(WebSocketPeer peer, Map<String, Object> message) throws InterruptedException;
}
