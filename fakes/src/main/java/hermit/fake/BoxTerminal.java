package hermit.fake;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// A program that runs in a terminal of a [Box]. Reading and writing may be done side by side, each by one thread.
public final class BoxTerminal implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Box box;
    private final Engine engine;
    private final String exec;
    private final SocketChannel channel;
    private final String pidFile;

    private BoxTerminal(Box box, Engine engine, String exec, SocketChannel channel, String pidFile) {
        this.box = box;
        this.engine = engine;
        this.exec = exec;
        this.channel = channel;
        this.pidFile = pidFile;
    }

    /// `name` is a plain word that no other terminal of the machine has.
    static BoxTerminal open(Box box, String name, Box.Run run, int cols, int rows) throws InterruptedException {
        var engine = Engine.find();
        String pidFile = "/tmp/.terminal-" + name;
        var argv = new ArrayList<>(
                List.of("sh", "-c", "echo $$ >\"$0\"; cd \"$1\" 2>/dev/null || cd /; shift; exec \"$@\"", pidFile));
        argv.add(run.cwd().orElse(box.home(run.user())));
        argv.addAll(run.argv());
        var env = new ArrayList<>(List.of("HOME=" + box.home(run.user())));
        run.env().forEach((key, value) -> env.add(key + "=" + value));
        String created = engine.post(
                "/containers/%s/exec".formatted(box.id()),
                write(Map.of(
                        "AttachStdin", true,
                        "AttachStdout", true,
                        "AttachStderr", true,
                        "Tty", true,
                        "User", run.user(),
                        "Env", env,
                        "Cmd", argv)));
        String exec = read(created).path("Id").asText();
        var channel = engine.upgrade("/exec/%s/start".formatted(exec), "{\"Detach\":false,\"Tty\":true}");
        var terminal = new BoxTerminal(box, engine, exec, channel, pidFile);
        terminal.resize(cols, rows);
        return terminal;
    }

    /// What the program printed; -1 at its end.
    public int read(ByteBuffer into) {
        try {
            return channel.read(into);
        } catch (IOException _) {
            return -1; // closed, or the machine is gone
        }
    }

    /// Types. Blocks while the program does not read; what it never reads is lost with it.
    public void write(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) channel.write(bytes);
        } catch (IOException _) {
            // The program has ended: its reader learns of it.
            bytes.position(bytes.limit());
        }
    }

    public void resize(int cols, int rows) {
        engine.post("/exec/%s/resize?h=%d&w=%d".formatted(exec, rows, cols), "");
    }

    /// Of a program that has ended; 128+n where signal n ended it.
    public int exitCode() {
        return read(engine.get("/exec/%s/json".formatted(exec)))
                .path("ExitCode")
                .asInt(137);
    }

    /// Ends the program with KILL; what it started in the terminal gets HUP.
    public void kill() throws InterruptedException {
        box.shell("root", "kill -KILL \"$(cat %s)\" 2>/dev/null || true".formatted(pidFile));
    }

    /// Lets go. The program goes on.
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new FakeFailure("close a terminal: " + e.getMessage(), e);
        }
    }

    private static String write(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new FakeFailure("write JSON", e);
        }
    }

    private static com.fasterxml.jackson.databind.JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new FakeFailure("the engine's answer is no JSON", e);
        }
    }
}
