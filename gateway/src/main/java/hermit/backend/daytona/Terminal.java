package hermit.backend.daytona;

import com.fasterxml.jackson.databind.ObjectMapper;
import hermit.backend.keeper.Bridge;
import hermit.exec.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A terminal in a sandbox, with a program in it that makes it carry bytes unchanged.
///
/// What a terminal says first is a login shell's: greetings, a prompt, and the line that starts the
/// program, once or twice. The program says [#MARK] when it has made the terminal raw, and nothing of all
/// that contains it: the line ends in `\n` alone, and a terminal that is not raw ends lines with `\r\n`.
final class Terminal {
    static final String MARK = "hermit-bridge-up\n";

    /// The provider's own SDK waits as long.
    private static final Duration CONNECTED = Duration.ofSeconds(10);
    /// From there until the mark: a login shell with slow profiles.
    private static final Duration STARTED = Duration.ofSeconds(20);
    /// Of a line that is typed: a terminal that is not raw takes 4 096 bytes.
    private static final int LONGEST_LINE = 4_000;
    /// What may come before the mark.
    private static final int LONGEST_GREETING = 1 << 20;

    private static final int SHOWN = 200;
    private static final String EXIT_CONTROL = "X-Daytona-Pty-Exit-Control";
    /// No colours, and no trace in a history.
    private static final Map<String, String> ENV = Map.of("TERM", "dumb", "HISTFILE", "/dev/null");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Logger log = LoggerFactory.getLogger(Terminal.class);

    private final Api api;
    private final Function<String, URI> toolbox;
    private final String id;

    /// `toolbox`: the address of a path of the sandbox's daemon.
    Terminal(Api api, Function<String, URI> toolbox, String id) {
        this.api = api;
        this.toolbox = toolbox;
        this.id = id;
    }

    /// The daemon, or who stands before it, does not want to.
    static final class Refused extends Exception {
        private final transient Answer answer;

        Refused(Answer answer) {
            super("refused with " + answer.status());
            this.answer = answer;
        }

        Answer answer() {
            return answer;
        }
    }

    Bridge open(List<String> argv) throws IOException, Refused, InterruptedException {
        // The blank keeps it out of most histories, too.
        String line = " exec %s || exit\n".formatted(ShellWords.of(argv));
        if (line.getBytes(StandardCharsets.UTF_8).length > LONGEST_LINE
                || line.strip().contains("\n")) throw new IOException("a command that cannot be typed");
        var socket = new TerminalSocket();
        var bridge = new TerminalBridge(socket, api.scheduler(), this::delete);
        try {
            connect(socket);
            bridge.watch();
            within(CONNECTED, bridge, socket::awaitConnected);
            bridge.out().write(line.getBytes(StandardCharsets.UTF_8));
            within(STARTED, bridge, () -> skip(bridge.in()));
            return bridge;
        } catch (IOException | Refused | InterruptedException | RuntimeException e) {
            bridge.close();
            throw e;
        }
    }

    @FunctionalInterface
    private interface Waiting {
        void await() throws IOException, InterruptedException;
    }

    private void within(Duration limit, Bridge bridge, Waiting waiting) throws IOException, InterruptedException {
        var deadline = api.scheduler().after(limit, bridge::close);
        try {
            waiting.await();
        } finally {
            deadline.cancel();
        }
    }

    private void connect(TerminalSocket socket) throws IOException, Refused, InterruptedException {
        String env = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(JSON.valueToTree(ENV).toString().getBytes(StandardCharsets.UTF_8));
        try {
            shake(
                    "/process/pty/create-connect?id=%s&cols=80&rows=24".formatted(id),
                    socket,
                    "X-Daytona-Pty-Envs~" + env,
                    EXIT_CONTROL);
            return;
        } catch (Refused e) {
            if (e.answer().status() != 404) throw e;
        }
        // A daemon of 0.190 or before takes this in two steps.
        var body = JSON.createObjectNode().put("id", id).put("cols", 80).put("rows", 24);
        body.set("envs", JSON.valueToTree(ENV));
        var made = api.post(toolbox.apply("/process/pty"), body, CONNECTED, Progress.NONE);
        if (!made.isGood()) throw new Refused(made);
        shake("/process/pty/%s/connect".formatted(id), socket, EXIT_CONTROL);
    }

    private void shake(String path, TerminalSocket socket, String protocol, String... protocols)
            throws IOException, Refused, InterruptedException {
        var uri = URI.create(toolbox.apply(path).toString().replaceFirst("^http", "ws"));
        CompletableFuture<WebSocket> opening = api.open(uri, socket, protocol, protocols);
        var deadline = api.scheduler().after(CONNECTED, () -> opening.cancel(true));
        try {
            socket.opened(opening.get());
        } catch (ExecutionException e) {
            var cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof WebSocketHandshakeException handshake && handshake.getResponse() != null)
                throw new Refused(new Answer(
                        handshake.getResponse().statusCode(),
                        handshake.getResponse().headers(),
                        new byte[0]));
            throw new IOException("open a terminal: " + cause.getMessage(), e);
        } catch (java.util.concurrent.CancellationException e) {
            throw new IOException("open a terminal: no answer within %d s".formatted(CONNECTED.toSeconds()), e);
        } finally {
            deadline.cancel();
        }
    }

    /// Reads to the end of the mark.
    private static void skip(InputStream in) throws IOException {
        byte[] mark = MARK.getBytes(StandardCharsets.US_ASCII);
        var said = new StringBuilder();
        int matched = 0;
        for (int i = 0; i < LONGEST_GREETING; i++) {
            int next;
            try {
                next = in.read();
            } catch (IOException e) {
                throw new IOException(nothing(said), e);
            }
            if (next < 0) throw new IOException(nothing(said));
            if (said.length() < LONGEST_LINE) said.append((char) next);
            // Only its first letter begins the mark again; `h` comes once.
            matched = next == mark[matched] ? matched + 1 : next == mark[0] ? 1 : 0;
            if (matched == mark.length) return;
        }
        throw new IOException(nothing(said));
    }

    private static String nothing(StringBuilder said) {
        String text = Api.line(said.toString(), LONGEST_LINE);
        return "the terminal did not come up; it said: "
                + (text.length() > SHOWN ? text.substring(text.length() - SHOWN) : text);
    }

    /// A terminal goes on without anybody attached. If this fails, its program ends by itself after a
    /// minute of silence.
    private void delete() {
        try {
            var answer = api.delete(toolbox.apply("/process/pty/" + id));
            if (!answer.isGood()) log.debug("terminal {} was not deleted: {}", id, answer.status());
        } catch (IOException | RuntimeException e) {
            log.debug("terminal {} was not deleted: {}", id, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
