package hermit.fake.e2b;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a request is answered with.
sealed interface Answer {
    String JSON = "application/json; charset=utf-8";

    @SuppressWarnings("ArrayRecordComponent") // nobody compares it
    record Whole(int status, Map<String, String> headers, byte[] body) implements Answer {
        public Whole {
            headers = Map.copyOf(headers);
        }

        Whole with(String name, String value) {
            var more = new LinkedHashMap<>(headers);
            more.put(name, value);
            return new Whole(status, more, body);
        }
    }

    /// Status 200, and a body that comes bit by bit.
    record Streamed(Map<String, String> headers, Body body) implements Answer {
        public Streamed {
            headers = Map.copyOf(headers);
        }
    }

    @FunctionalInterface
    interface Body {
        /// Throws [Lost] to have the connection closed without an end.
        void writeTo(Sink sink) throws IOException, InterruptedException;
    }

    @FunctionalInterface
    interface Sink {
        /// Sends at once.
        void write(byte[] bytes) throws IOException;
    }

    static Whole empty(int status) {
        return new Whole(status, Map.of(), new byte[0]);
    }

    static Whole text(int status, String text) {
        return new Whole(
                status, Map.of("Content-Type", "text/plain; charset=utf-8"), text.getBytes(StandardCharsets.UTF_8));
    }

    static Whole json(int status, Object value) {
        return new Whole(status, Map.of("Content-Type", JSON), Json.bytes(value));
    }

    /// As the control plane refuses, and the daemon where it is not an RPC.
    static Whole refusal(int status, String message) {
        return json(status, new Refusal(status, message));
    }

    record Refusal(int code, String message) {}
}
