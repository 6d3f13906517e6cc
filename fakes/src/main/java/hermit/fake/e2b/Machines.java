package hermit.fake.e2b;

import hermit.fake.Box;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;

/// All sandboxes of the one team that this fake knows.
final class Machines implements AutoCloseable {
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

    private final E2bFake.Settings settings;
    private final InstantSource clock;
    private final RandomGenerator random = RandomGenerator.getDefault();
    private final Map<String, Machine> all = new ConcurrentHashMap<>();
    private volatile boolean closed;

    Machines(E2bFake.Settings settings) {
        this.settings = settings;
        this.clock = settings.clock();
    }

    Instant now() {
        return clock.instant();
    }

    Machine create(Machine.Order order) throws InterruptedException {
        String id = freshId();
        var env = new HashMap<>(order.env());
        env.put("E2B_SANDBOX", "true");
        env.put("E2B_SANDBOX_ID", id);
        var box = Box.start(new Box.Spec(settings.image(), "e2b", settings.user(), env, settings.memory()));
        var machine = new Machine(id, order, box, settings.envdVersion(), now());
        all.put(id, machine);
        if (closed) kill(machine); // the fake was closed while it was made
        return machine;
    }

    /// By its id, or an old composite one. One whose time is over has been paused or killed.
    Optional<Machine> find(String id) throws InterruptedException {
        int dash = id.indexOf('-');
        var machine = Optional.ofNullable(all.get(dash < 0 ? id : id.substring(0, dash)));
        if (machine.isPresent()
                && machine.get().isRunning()
                && machine.get().endAt().isBefore(now())) expire(machine.get());
        return machine.filter(each -> all.containsValue(each));
    }

    /// The newest first.
    List<Machine> list() throws InterruptedException {
        for (var id : List.copyOf(all.keySet())) find(id); // what is over is over
        return all.values().stream()
                .sorted(Comparator.comparing(Machine::startedAt)
                        .thenComparing(Machine::id)
                        .reversed())
                .toList();
    }

    /// Its time is over.
    void expire(Machine machine) throws InterruptedException {
        if (machine.order().autoPause()) machine.pause(true, now());
        else kill(machine);
    }

    void kill(Machine machine) throws InterruptedException {
        all.remove(machine.id());
        machine.kill();
    }

    /// Gives it another id; the old one is unknown from here on.
    void rename(Machine machine) {
        all.remove(machine.id());
        machine.rename(freshId());
        all.put(machine.id(), machine);
    }

    @Override
    public void close() {
        closed = true;
        for (var machine : List.copyOf(all.values())) {
            machine.processes().cut();
            machine.box().close();
        }
    }

    private String freshId() {
        var id = new StringBuilder("i");
        for (int i = 0; i < 20; i++) id.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        return id.toString();
    }
}
