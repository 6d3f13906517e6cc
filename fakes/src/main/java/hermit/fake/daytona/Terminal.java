package hermit.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.fake.BoxTerminal;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// One PTY. Its output goes to everybody who is attached; it goes on when nobody is.
final class Terminal {
    private static final int PIECE = 32 << 10;

    private final String id;
    private final BoxTerminal pty;
    private final String cwd;
    private final Map<String, String> envs;
    private final Instant createdAt = Machine.now();
    private final Runnable whenEnded;
    private final Set<Viewer> viewers = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean started = new AtomicBoolean();

    private volatile int cols;
    private volatile int rows;

    Terminal(String id, BoxTerminal pty, String cwd, Map<String, String> envs, int cols, int rows, Runnable whenEnded) {
        this.id = id;
        this.pty = pty;
        this.cwd = cwd;
        this.envs = envs;
        this.cols = cols;
        this.rows = rows;
        this.whenEnded = whenEnded;
    }

    /// Nothing is read before the first one is there: the prompt is for it.
    void attach(Viewer viewer) {
        viewer.control(Json.object().put("status", "connected").put("type", "control"));
        viewers.add(viewer);
        if (started.compareAndSet(false, true))
            Thread.ofVirtual().name("daytona-pty").start(this::read);
    }

    void detach(Viewer viewer) {
        viewers.remove(viewer);
    }

    void type(byte[] bytes) {
        pty.write(bytes);
    }

    void resize(int newCols, int newRows) throws InterruptedException {
        pty.resize(newCols, newRows);
        cols = newCols;
        rows = newRows;
    }

    void kill() throws InterruptedException {
        pty.kill();
    }

    JsonNode show() {
        var json = Json.object().put("id", id).put("cwd", cwd);
        envs.forEach(json.putObject("envs")::put);
        return json.put("cols", cols)
                .put("rows", rows)
                .put("createdAt", createdAt.toString())
                .put("active", true)
                .put("lazyStart", false);
    }

    private void read() {
        byte[] buffer = new byte[PIECE];
        for (int n = pty.read(buffer); n >= 0; n = pty.read(buffer)) {
            byte[] piece = Arrays.copyOf(buffer, n);
            for (Viewer viewer : viewers) viewer.output(piece);
        }
        pty.close();
        whenEnded.run();
        int code = exitCode();
        for (Viewer viewer : viewers) viewer.ended(code);
    }

    private int exitCode() {
        try {
            return pty.exitCode();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 137;
        }
    }
}
