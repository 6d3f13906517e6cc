package hermit.backend.e2b;

import com.fasterxml.jackson.core.JsonProcessingException;
import hermit.backend.e2b.Calls.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The daemon of one sandbox: processes and files, as root.
final class Daemon {
    private static final String ROOT = "root";
    /// A user for the daemon to act as, in the form of Basic authentication. It is no credential.
    private static final String AS_ROOT =
            "Basic " + Base64.getEncoder().encodeToString((ROOT + ":").getBytes(StandardCharsets.US_ASCII));
    /// Signs of life on a stream, in seconds. 0 crashed a daemon.
    private static final String KEEPALIVE_SECONDS = "30";
    /// Any word that no uploaded bytes hold.
    private static final String BOUNDARY = "hermit-5f0c2f7d0b3e4d0a9a0c6a5f";

    private final Calls calls;
    private final DaemonAddress address;
    private final E2bTimes times;

    Daemon(Calls calls, DaemonAddress address, E2bTimes times) {
        this.calls = calls;
        this.address = address;
        this.times = times;
    }

    /// Whether it answers right now.
    boolean isUp() throws InterruptedException {
        try {
            return calls.call(address.request("/health").GET().build(), times.quick())
                            .status()
                    == 204;
        } catch (IOException _) {
            return false;
        }
    }

    /// Starts a program; its stream begins with its process id.
    ///
    /// `limit`: of its life, at which the daemon kills it; empty for none.
    ProcessEvents start(List<String> argv, boolean stdin, Optional<Duration> limit)
            throws IOException, Refusal, InterruptedException {
        var process = new LinkedHashMap<String, Object>();
        process.put("cmd", argv.getFirst());
        process.put("args", argv.subList(1, argv.size()));
        var request = address.request("/process.Process/Start")
                .setHeader("Content-Type", "application/connect+json")
                .setHeader("Connect-Protocol-Version", "1")
                .setHeader("Keepalive-Ping-Interval", KEEPALIVE_SECONDS)
                .setHeader("Authorization", AS_ROOT);
        limit.ifPresent(life -> request.setHeader("Connect-Timeout-Ms", Long.toString(Math.max(1, life.toMillis()))));
        byte[] message = json(Map.of("process", process, "stdin", stdin));
        var response = calls.open(
                request.POST(BodyPublishers.ofByteArray(ConnectFrames.enveloped(message)))
                        .build(),
                times.quick());
        if (response.statusCode() != 200) throw new Refusal(Calls.rest(response, times.quick()));
        return ProcessEvents.begun(response.body(), times.quick());
    }

    void input(int pid, byte[] bytes) throws IOException, Refusal, InterruptedException {
        String text = Base64.getEncoder().encodeToString(bytes);
        unary("SendInput", Map.of("process", Map.of("pid", pid), "input", Map.of("stdin", text)), times.input());
    }

    void kill(int pid) throws IOException, Refusal, InterruptedException {
        unary("SendSignal", Map.of("process", Map.of("pid", pid), "signal", "SIGNAL_SIGKILL"), times.quick());
    }

    /// Writes a file whole, owned by root.
    void upload(String path, byte[] content) throws IOException, Refusal, InterruptedException {
        var request = address.request("/files?path=%s&username=%s".formatted(encoded(path), ROOT));
        if (address.takesRawFiles())
            request.setHeader("Content-Type", "application/octet-stream").POST(BodyPublishers.ofByteArray(content));
        else
            request.setHeader("Content-Type", "multipart/form-data; boundary=" + BOUNDARY)
                    .POST(BodyPublishers.ofByteArray(multipart(path, content)));
        var answer = calls.call(request.build(), times.slow());
        if (answer.status() != 200) throw new Refusal(answer);
    }

    /// An answer that is no success, of the daemon or of the edge before it.
    static final class Refusal extends Exception {
        private final transient Answer answer;

        Refusal(Answer answer) {
            super("the sandbox's daemon answers " + answer.message());
            this.answer = answer;
        }

        int status() {
            return answer.status();
        }
    }

    private void unary(String method, Map<String, Object> message, Duration within)
            throws IOException, Refusal, InterruptedException {
        var request = address.request("/process.Process/" + method)
                .setHeader("Content-Type", "application/json")
                .setHeader("Connect-Protocol-Version", "1")
                .POST(BodyPublishers.ofByteArray(json(message)))
                .build();
        Answer answer;
        try {
            answer = calls.call(request, within);
        } catch (HttpTimeoutException e) {
            throw new IOException("the sandbox's daemon gives no answer to " + method, e);
        }
        if (answer.status() != 200) throw new Refusal(answer);
    }

    private static byte[] multipart(String path, byte[] content) {
        var body = new ByteArrayOutputStream();
        String name = "Content-Disposition: form-data; name=\"file\"; filename=\"%s\"".formatted(path);
        String head = String.join("\r\n", "--" + BOUNDARY, name, "Content-Type: application/octet-stream", "", "");
        body.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        body.writeBytes(content);
        body.writeBytes("\r\n--%s--\r\n".formatted(BOUNDARY).getBytes(StandardCharsets.UTF_8));
        return body.toByteArray();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static byte[] json(Map<String, Object> message) {
        try {
            return Calls.JSON.writeValueAsBytes(message);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("texts, numbers and maps are always JSON", impossible);
        }
    }
}
