package hermit.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.fake.Box;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// One sandbox. All but its id changes, under its own lock.
final class Machine {
    static final String ORGANIZATION = "0b9e7f3c-5a41-4c0d-8f2e-6d1c9a7b3e55";

    private final String id = UUID.randomUUID().toString();
    private final Wanted wanted;
    private final Instant createdAt = now();

    private String name;
    private Map<String, String> labels;
    private int autoStop;
    private int autoArchive;
    private int autoDelete;
    private State state;
    private State desired = State.STARTED;
    private String errorReason = "";
    private boolean recoverable;
    private Instant updatedAt = createdAt;
    private Instant lastActivityAt = createdAt;
    private int openStreams;
    private Optional<Box> box = Optional.empty();

    Machine(Wanted wanted) {
        this.wanted = wanted;
        this.name = wanted.name().orElse(id);
        this.labels = wanted.labels();
        this.autoStop = wanted.autoStop();
        this.autoArchive = wanted.autoArchive();
        this.autoDelete = wanted.autoDelete();
        this.state = wanted.dockerfile().isPresent() ? State.PENDING_BUILD : State.CREATING;
    }

    String id() {
        return id;
    }

    Wanted wanted() {
        return wanted;
    }

    synchronized String name() {
        return name;
    }

    synchronized State state() {
        return state;
    }

    synchronized Map<String, String> labels() {
        return labels;
    }

    synchronized Optional<Box> box() {
        return box;
    }

    synchronized boolean isRecoverable() {
        return recoverable;
    }

    synchronized boolean isEphemeral() {
        return autoDelete == 0;
    }

    synchronized void hold(Box started) {
        box = Optional.of(started);
    }

    synchronized void relabel(Map<String, String> replacement) {
        labels = Map.copyOf(replacement);
    }

    synchronized void interval(String which, int minutes) {
        switch (which) {
            case "autostop" -> autoStop = minutes;
            case "autoarchive" -> autoArchive = minutes;
            case "autodelete" -> autoDelete = minutes;
            default -> throw new IllegalArgumentException(which);
        }
    }

    synchronized void become(State next, State wish) {
        state = next;
        desired = wish;
        updatedAt = now();
        if (!next.isFailure()) {
            errorReason = "";
            recoverable = false;
        }
        notifyAll();
    }

    synchronized void fail(State failure, String reason, boolean canRecover) {
        become(failure, desired);
        errorReason = reason;
        recoverable = canRecover;
    }

    /// The name is free at once for another one.
    synchronized void renameDestroyed() {
        name = "DESTROYED_%s_%d".formatted(name, now().toEpochMilli());
    }

    synchronized void touch() {
        lastActivityAt = now();
    }

    /// A stream through the proxy keeps the sandbox in use while it is open.
    synchronized void streams(int change) {
        openStreams += change;
        touch();
    }

    synchronized boolean isIdle(Instant at) {
        return state == State.STARTED
                && autoStop > 0
                && openStreams == 0
                && lastActivityAt.plus(autoStop, ChronoUnit.MINUTES).isBefore(at);
    }

    /// Waits until the state is none of the transient ones, at most until the given time of
    /// [System#nanoTime].
    synchronized void awaitStable(long until) throws InterruptedException {
        for (long left = until - System.nanoTime(); !state.isStable() && left > 0; left = until - System.nanoTime())
            wait(Math.max(1, left / 1_000_000));
    }

    /// As the API shows it; `whole` is false in a list, which leaves some of it out.
    synchronized ObjectNode show(String toolbox, boolean whole) {
        var json = Json.object();
        json.put("id", id).put("organizationId", ORGANIZATION).put("name", name);
        wanted.snapshot().ifPresent(snapshot -> json.put("snapshot", snapshot));
        json.put("user", wanted.user());
        if (whole) wanted.env().forEach(json.putObject("env")::put);
        labels.forEach(json.putObject("labels")::put);
        json.put("public", false).put("networkBlockAll", false).put("target", wanted.target());
        json.put("cpu", wanted.cpu())
                .put("gpu", 0)
                .put("memory", wanted.memory())
                .put("disk", wanted.disk());
        json.put("state", state.toString()).put("desiredState", desired.toString());
        if (state.isFailure()) json.put("errorReason", errorReason);
        json.put("recoverable", recoverable).put("backupState", "None");
        json.put("autoStopInterval", autoStop);
        json.put("autoArchiveInterval", autoArchive).put("autoDeleteInterval", autoDelete);
        if (whole) json.putArray("volumes");
        json.put("createdAt", createdAt.toString()).put("updatedAt", updatedAt.toString());
        json.put("lastActivityAt", lastActivityAt.toString());
        json.put("sandboxClass", "container").put("daemonVersion", "0.218.0");
        json.put("runnerId", "5d7c1a90-2b3e-4f61-9c0a-7e8d4b2f1a33").put("toolboxProxyUrl", toolbox);
        if (whole)
            wanted.dockerfile()
                    .ifPresent(text -> json.putObject("buildInfo")
                            .put("dockerfileContent", text)
                            .put("createdAt", createdAt.toString())
                            .put("updatedAt", createdAt.toString())
                            .put("snapshotRef", "daytona-4b1a9786377ad5f2:daytona"));
        wanted.shown().forEach((key, value) -> {
            if (whole || !key.equals("volumes")) json.set(key, value);
        });
        return json;
    }

    static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
