package hermit.backend.docker;

import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.NotFoundException;
import hermit.backend.docker.FoundContainer.State;
import hermit.backend.keeper.Bridge;
import hermit.backend.keeper.BridgeOpener;
import hermit.exec.MachineGone;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Reaches a container's keeper through an engine exec, whose stdin and stdout are the bridge.
///
/// The exec is made with the library, but its stream is opened here, by hand over the library's socket.
/// The library sends stdin in pieces of 1 KiB, each flushed (17 to 65 MB/s measured, against 110 to 180
/// this way; a round trip takes 0.3 ms either way), from a platform thread of its own for every stream
/// that is open, which prints a stack trace when the container ends.
final class ExecBridge implements BridgeOpener {
    /// As the engine sends: 32 KiB at a time.
    private static final int BUFFER = 64 << 10;
    /// Of an answer's head. The engine sends 200 bytes.
    private static final int LONGEST_HEAD = 16 << 10;

    private static final String BODY = "{\"Detach\":false,\"Tty\":false}";

    private final Engine engine;
    private final Containers containers;
    private final String id;
    private final String name;

    ExecBridge(Engine engine, Containers containers, String id, String name) {
        this.engine = engine;
        this.containers = containers;
        this.id = id;
        this.name = name;
    }

    @Override
    public Bridge open() throws MachineGone, IOException, InterruptedException {
        String exec = create().orElseThrow(() -> new MachineGone("container %s does not run".formatted(name)));
        var stream = engine.dial("open the stream to the keeper of " + name, (socket, api) -> start(socket, api, exec));
        if (stream.isPresent()) return stream.get();
        // It may have ended in between.
        var state = containers.find(id).map(FoundContainer::state);
        if (state.filter(State.RUNNING::equals).isEmpty())
            throw new MachineGone("container %s does not run any more".formatted(name));
        throw new IOException("the engine did not open the stream to the keeper of " + name);
    }

    /// Empty if the container is not there, does not run, or is paused.
    private Optional<String> create() throws InterruptedException {
        return engine.look("reach the keeper of " + name, client -> {
            try {
                return Optional.of(client.execCreateCmd(id)
                        .withCmd(KeeperVolume.PROGRAM, "bridge")
                        .withUser("0:0")
                        .withAttachStdin(true)
                        .withAttachStdout(true)
                        .withAttachStderr(true)
                        .exec()
                        .getId());
            } catch (NotFoundException | ConflictException _) {
                return Optional.empty();
            }
        });
    }

    /// Empty if the engine refuses.
    private static Optional<Bridge> start(EngineSocket engine, ApiVersion api, String exec) throws IOException {
        var socket = engine.open();
        try {
            var out = socket.getOutputStream();
            out.write(("POST %s/v%s/exec/%s/start HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
                            + "Content-Length: %d\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n%s")
                    .formatted(engine.prefix(), api, exec, engine.host(), BODY.length(), BODY)
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
            var in = new BufferedInputStream(socket.getInputStream(), BUFFER);
            if (status(in) == 101) return Optional.of(new Streams(new StdoutOf(in), out, socket));
            socket.close();
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /// Reads the head of an answer.
    private static int status(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int c = in.read();
            if (c < 0) throw new EOFException("the engine closed the connection");
            head.append((char) c);
            if (head.length() > LONGEST_HEAD) throw new IOException("the engine's answer has no end");
        }
        String[] words = head.toString().split("[ \r]", 3);
        if (words.length < 3 || !words[0].startsWith("HTTP/1.") || !words[1].matches("[0-9]{3}"))
            throw new IOException("the engine's answer is no HTTP");
        return Integer.parseInt(words[1]);
    }

    private record Streams(InputStream in, OutputStream out, Socket socket) implements Bridge {
        @Override
        public void close() {
            try {
                socket.close(); // the engine then closes the bridge's stdin, at which it ends
            } catch (IOException _) {
                // It is given up anyway.
            }
        }
    }
}
