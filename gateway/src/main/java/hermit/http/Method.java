package hermit.http;

/// The methods that routes are made of. `HEAD` is answered wherever `GET` is.
public enum Method {
    GET,
    POST,
    PUT,
    PATCH,
    DELETE
}
