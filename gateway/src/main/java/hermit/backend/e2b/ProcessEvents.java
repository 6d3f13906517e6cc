package hermit.backend.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/// What the daemon tells of one process, as it comes.
final class ProcessEvents implements AutoCloseable {
    private final InputStream stream;
    private final ConnectFrames frames;
    private int pid;

    private ProcessEvents(InputStream stream) {
        this.stream = stream;
        this.frames = new ConnectFrames(stream);
    }

    sealed interface Event {}

    @SuppressWarnings("ArrayRecordComponent") // nobody compares it
    record Output(boolean stderr, byte[] bytes) implements Event {}

    /// `code`: as a shell has it, 128+n for signal n.
    record End(int code) implements Event {}

    /// Waits for the first event, which has the process id. The stream belongs to the result, and is closed if this
    /// throws. [IOException] if the daemon refuses, or says nothing in time.
    static ProcessEvents begun(InputStream stream, Duration within) throws IOException, InterruptedException {
        var events = new ProcessEvents(stream);
        var first = Bounded.read(
                within, "the sandbox's daemon has not started the program in time", events::close, events.frames::read);
        if (first.end()) {
            events.close();
            throw failed(first.message());
        }
        events.pid = first.message().at("/event/start/pid").asInt(0);
        if (events.pid > 0) return events;
        events.close();
        throw new IOException("the sandbox's daemon names no process");
    }

    int pid() {
        return pid;
    }

    /// The next event that is of interest. [IOException] if the stream breaks off, or the daemon says that the process
    /// has failed without an end.
    Event next() throws IOException {
        while (true) {
            var frame = frames.read();
            if (frame.end()) throw failed(frame.message());
            JsonNode event = frame.message().path("event");
            if (event.has("end")) return new End(code(event.path("end")));
            var stdout = bytes(event.path("data").path("stdout"));
            if (stdout.isPresent()) return new Output(false, stdout.get());
            var stderr = bytes(event.path("data").path("stderr"));
            if (stderr.isPresent()) return new Output(true, stderr.get());
        }
    }

    @Override
    public void close() {
        Calls.close(stream);
    }

    private static Optional<byte[]> bytes(JsonNode text) throws IOException {
        if (!text.isTextual()) return Optional.empty();
        try {
            return Optional.of(Base64.getDecoder().decode(text.asText()));
        } catch (IllegalArgumentException e) {
            throw new IOException("the sandbox's daemon sends bytes that are none", e);
        }
    }

    /// Zero is left out; -1 stands for any signal.
    private static int code(JsonNode end) {
        int code = end.path("exitCode").asInt(0);
        if (code >= 0) return code;
        return switch (end.path("status").asText("")) {
            case "signal: killed" -> 128 + 9;
            case "signal: terminated" -> 128 + 15;
            default -> 128;
        };
    }

    private static IOException failed(JsonNode last) {
        String word = last.path("error").path("code").asText("");
        if (word.isEmpty()) return new IOException("the sandbox's daemon tells no end of the program");
        String message = last.path("error").path("message").asText("").replaceAll("\\p{Cntrl}+", " ");
        return new IOException("the sandbox's daemon: %s: %.300s".formatted(word, message));
    }
}
