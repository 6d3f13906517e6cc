package hermit.http;

import hermit.api.SocketError;
import hermit.problem.GatewayException;

/// What a WebSocket is for, once it is open. [#speak] has a thread of its own; what the peer sends is heard on
/// another, one message after the other, and nothing more is read until a call has returned. Refusals are thrown
/// as [GatewayException]: while speaking, they end the connection; while hearing, the peer is told.
public interface WebSocketSession {
    /// Speaks until there is nothing more to say; the connection is then closed. An interrupt means that the
    /// peer has gone or the server is closing.
    void speak(WebSocketPeer peer) throws InterruptedException;

    /// A binary message.
    void hear(WebSocketPeer peer, byte[] bytes) throws InterruptedException;

    /// A text message.
    void hear(WebSocketPeer peer, String text) throws InterruptedException;

    /// The bytes of a message; a peer that sends a longer one is cut off.
    default int longestMessage() {
        return SocketRunner.MAX_MESSAGE;
    }

    /// How the peer is told that something was refused: a record of the API.
    default Object refusal(GatewayException why) {
        return SocketError.of(why.code().wire(), why.detail());
    }
}
