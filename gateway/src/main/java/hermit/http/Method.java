package hermit.http;

/// The methods that routes are made of. `HEAD` is answered wherever `GET` is.
/// [#WS] is a GET that becomes a WebSocket.
public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE,
    WS
}
