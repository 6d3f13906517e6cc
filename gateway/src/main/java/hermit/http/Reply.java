package hermit.http;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// The answer to a request.
public sealed interface Reply {
    /// A record of the API as JSON.
    record Json(int status, Object body, Map<String, String> headers) implements Reply {
        public Json {
            headers = Map.copyOf(headers);
        }

        public Json withHeader(String name, String value) {
            var more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Json(status, body, more);
        }
    }

    /// Nothing to say: 204 for what is done, 202 for what has been taken in.
    record NoContent(int status, Map<String, String> headers) implements Reply {
        public NoContent {
            headers = Map.copyOf(headers);
        }

        public NoContent withHeader(String name, String value) {
            return new NoContent(status, Map.of(name, value));
        }
    }

    /// A document that is text already.
    record Text(String contentType, String text) implements Reply {}

    /// What is there as bytes already, whatever it is.
    record Bytes(String contentType, Map<String, String> headers, byte[] body) implements Reply {
        public Bytes {
            headers = Map.copyOf(headers);
        }
    }

    /// Events for as long as the source has some. Whatever could refuse the request has been checked before.
    ///
    /// `whenGone` runs if the client went away before the source had ended.
    record Events(EventSource source, Runnable whenGone) implements Reply {}

    /// Records of the API as lines of JSON, which are asked for while they are sent. What fails on the way
    /// cuts the answer short: the last line must say that it is one.
    record Lines(Iterator<?> each) implements Reply {}

    /// From now on a WebSocket; only for a route of [Method#WS].
    record Upgrade(WebSocketSession session) implements Reply {}
    /// A file that is never shown from the gateway's own origin, but saved under `fileName`. Where `length` is not
    /// known, the end of the stream says that it was all. The pieces are closed in any case.
    record Download(
            int status,
            String contentType,
            String fileName,
            OptionalLong length,
            Map<String, String> headers,
            Pieces pieces)
            implements Reply {
        public Download {
            headers = Map.copyOf(headers);
        }
    }

    /// 416: the file of this size has no byte in the range.
    record NoSuchRange(long size) implements Reply {}

    static Json ok(Object body) {
        return new Json(200, body, Map.of());
    }

    /// 201 for something that is from now on found at `location`.
    static Json created(String location, Object body) {
        return new Json(201, body, Map.of("Location", location));
    }

    /// 202: it goes on by itself, and can be followed at `location`.
    static Json accepted(String location, Object body) {
        return new Json(202, body, Map.of("Location", location));
    }

    static NoContent noContent() {
        return new NoContent(204, Map.of());
    }

    /// 202 for a message that needs no answer.
    static NoContent taken() {
        return new NoContent(202, Map.of());
    }
}
