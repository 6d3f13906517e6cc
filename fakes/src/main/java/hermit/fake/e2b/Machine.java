package hermit.fake.e2b;

import hermit.fake.Box;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// One sandbox. Its state is changed by one request at a time.
final class Machine {
    static final String RUNNING = "running";
    static final String PAUSED = "paused";

    private final Order order;
    private final Box box;
    private final Processes processes;
    private final String envdVersion;
    private final Instant startedAt;

    private volatile String id;
    private volatile String state = RUNNING;
    private volatile Instant endAt;
    private boolean memoryKept = true;

    /// What was asked for.
    ///
    /// - `secured`: the daemon asks for a token.
    record Order(
            String template,
            Map<String, String> metadata,
            Map<String, String> env,
            boolean autoPause,
            Optional<Boolean> internet,
            boolean secured,
            Duration timeout) {
        Order {
            metadata = Map.copyOf(metadata);
            env = Map.copyOf(env);
        }
    }

    Machine(String id, Order order, Box box, String envdVersion, Instant now) {
        this.id = id;
        this.order = order;
        this.box = box;
        this.envdVersion = envdVersion;
        this.startedAt = now;
        this.endAt = now.plus(order.timeout());
        this.processes = new Processes(box);
    }

    String id() {
        return id;
    }

    Order order() {
        return order;
    }

    Box box() {
        return box;
    }

    Processes processes() {
        return processes;
    }

    Instant startedAt() {
        return startedAt;
    }

    Instant endAt() {
        return endAt;
    }

    boolean isRunning() {
        return state.equals(RUNNING);
    }

    boolean isPaused() {
        return state.equals(PAUSED);
    }

    String token() {
        return "envd_" + id;
    }

    /// From here on the provider calls it so.
    void rename(String newId) {
        id = newId;
        processes.cut();
    }

    /// A word that the provider then uses for its state, whatever it is.
    void state(String word) {
        state = word;
        if (!word.equals(RUNNING)) processes.cut();
    }

    void endAt(Instant when) {
        endAt = when;
    }

    /// With its memory, or the files only. Streams end either way.
    synchronized void pause(boolean memory, Instant now) throws InterruptedException {
        state = PAUSED;
        endAt = now;
        memoryKept = memory;
        processes.cut();
        if (memory) {
            box.pause();
        } else {
            box.stop();
            processes.forget();
        }
    }

    synchronized void resume(boolean memory, Instant end) throws InterruptedException {
        if (memoryKept) box.unpause();
        else box.start();
        if (memoryKept && !memory) {
            box.stop();
            processes.forget();
            box.start();
        }
        endAt = end;
        state = RUNNING;
    }

    synchronized void kill() throws InterruptedException {
        state = "killed";
        processes.cut();
        box.remove();
    }

    /// As create and connect answer.
    Map<String, Object> asSandbox() {
        var fields = names();
        fields.put("envdVersion", envdVersion);
        if (order.secured()) fields.put("envdAccessToken", token());
        return fields;
    }

    /// As info answers.
    Map<String, Object> asDetail() {
        var fields = asListed();
        if (order.secured()) fields.put("envdAccessToken", token());
        fields.put("lifecycle", Map.of("autoResume", false, "onTimeout", order.autoPause() ? "pause" : "kill"));
        order.internet().ifPresent(allowed -> fields.put("allowInternetAccess", allowed));
        return fields;
    }

    Map<String, Object> asListed() {
        var fields = names();
        fields.put("envdVersion", envdVersion);
        fields.put("state", state);
        fields.put("startedAt", startedAt.toString());
        fields.put("endAt", endAt.toString());
        fields.put("cpuCount", 2);
        fields.put("memoryMB", 512);
        fields.put("diskSizeMB", 10_240);
        if (!order.metadata().isEmpty()) fields.put("metadata", order.metadata());
        return fields;
    }

    private Map<String, Object> names() {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("sandboxID", id);
        fields.put("templateID", "rki5dems9wqfm4r03t7g");
        fields.put("alias", order.template());
        fields.put("clientID", "6532622b");
        return fields;
    }
}
