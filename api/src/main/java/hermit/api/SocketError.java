package hermit.api;

/// A text message of a WebSocket: what the other side sent was refused, or the connection is about to end.
/// `code` and `detail` are those of a [Problem].
public record SocketError(String type, String code, String detail) {
    public static SocketError of(String code, String detail) {
        return new SocketError("error", code, detail);
    }
}
