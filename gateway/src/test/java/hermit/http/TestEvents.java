package hermit.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A stream of events that is being read, one after the other.
public final class TestEvents implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final BufferedReader lines;

    private TestEvents(HttpRequest request) throws IOException, InterruptedException {
        var response = http.send(request, BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) throw new AssertionError("status " + response.statusCode());
        lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /// From the beginning.
    public static TestEvents open(TestClient by, String path) throws IOException, InterruptedException {
        return new TestEvents(by.request(path).build());
    }

    /// Of any request.
    public static TestEvents open(HttpRequest request) throws IOException, InterruptedException {
        return new TestEvents(request);
    }

    public static TestEvents resume(TestClient by, String path, String lastEventId)
            throws IOException, InterruptedException {
        return new TestEvents(
                by.request(path).header("Last-Event-ID", lastEventId).build());
    }

    /// `id` is empty where the event has none.
    public record Event(String id, String name, String data) {}

    /// The next event; empty at the end of the stream.
    public Optional<Event> next() throws IOException {
        String id = "";
        String name = "";
        String data = "";
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("id: ")) id = line.substring(4);
            else if (line.startsWith("event: ")) name = line.substring(7);
            else if (line.startsWith("data: ")) data = line.substring(6);
            else if (line.isEmpty() && !name.isEmpty()) return Optional.of(new Event(id, name, data));
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
