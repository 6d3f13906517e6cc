package hermit.fake.daytona;

import hermit.fake.Box;
import hermit.fake.FakeFailure;
import hermit.fake.Fault;
import hermit.fake.Faults;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// The sandboxes, and which change is legal from which state. A change is asked for, shows as transient,
/// and is done in the background.
final class Machines implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(10);

    private final Settings settings;
    private final Faults faults;
    private final Map<String, Machine> machines = new ConcurrentHashMap<>();
    /// Makes the check of a name and its taking, and of a state and the change, one.
    private final ReentrantLock changing = new ReentrantLock();
    private final Thread idling;

    private volatile boolean closed;

    Machines(Settings settings, Faults faults) {
        this.settings = settings;
        this.faults = faults;
        this.idling = Thread.ofVirtual().name("daytona-autostop").start(this::stopIdleOnes);
    }

    /// By id, or by the name that it has now.
    Optional<Machine> find(String idOrName) {
        return Optional.ofNullable(machines.get(idOrName))
                .or(() -> machines.values().stream()
                        .filter(each -> each.name().equals(idOrName))
                        .findFirst());
    }

    List<Machine> all() {
        return machines.values().stream()
                .sorted(Comparator.comparing(Machine::id))
                .toList();
    }

    Machine create(Wanted wanted) {
        return alone(() -> {
            wanted.name().flatMap(this::find).ifPresent(other -> {
                throw Refused.api(409, "Sandbox with name %s already exists".formatted(other.name()));
            });
            var machine = new Machine(wanted);
            machines.put(machine.id(), machine);
            background("boot", machine, State.STARTED, () -> {
                if (wanted.cannotBeBuilt()) {
                    machine.fail(State.BUILD_FAILED, "failed to build image: pull access denied", false);
                    return;
                }
                var box = Box.start(
                        new Box.Spec(settings.image(), "daytona", wanted.user(), wanted.env(), settings.memory()));
                machine.hold(box);
                if (closed || machine.state() == State.DESTROYING || machine.state() == State.DESTROYED) box.close();
            });
            return machine;
        });
    }

    void start(Machine machine) {
        change(machine, () -> {
            switch (machine.state()) {
                case STARTED -> {}
                case STOPPED -> {
                    machine.become(State.STARTING, State.STARTED);
                    background("boot", machine, State.STARTED, box(machine)::start);
                }
                case ARCHIVED, ARCHIVING -> {
                    machine.become(State.RESTORING, State.STARTED);
                    background("restore", machine, State.STARTED, box(machine)::start);
                }
                case ERROR, BUILD_FAILED -> throw Refused.api(400, "Sandbox is in an errored state");
                default -> throw changeInProgress();
            }
        });
    }

    void recover(Machine machine) {
        change(machine, () -> {
            if (machine.state() != State.ERROR || !machine.isRecoverable())
                throw Refused.api(400, "Sandbox is not in a recoverable state");
            machine.become(State.STARTING, State.STARTED);
            background("boot", machine, State.STARTED, box(machine)::start);
        });
    }

    void stop(Machine machine) {
        change(machine, () -> {
            switch (machine.state()) {
                case STARTED -> {
                    machine.become(State.STOPPING, machine.isEphemeral() ? State.DESTROYED : State.STOPPED);
                    if (machine.isEphemeral()) background("removal", machine, State.DESTROYED, () -> remove(machine));
                    else background("shutdown", machine, State.STOPPED, box(machine)::stop);
                }
                case STOPPED, ARCHIVED, ERROR, BUILD_FAILED -> throw Refused.api(400, "Sandbox is not started");
                default -> throw changeInProgress();
            }
        });
    }

    void archive(Machine machine) {
        change(machine, () -> {
            if (!machine.state().isStable()) throw changeInProgress();
            if (machine.state() != State.STOPPED) throw Refused.api(400, "Sandbox is not stopped");
            machine.become(State.ARCHIVING, State.ARCHIVED);
            background("archiving", machine, State.ARCHIVED, () -> {});
        });
    }

    void delete(Machine machine) {
        change(machine, () -> {
            var state = machine.state();
            Set<State> alsoAllowed = EnumSet.of(State.ARCHIVING, State.PENDING_BUILD);
            if (!state.isStable() && !alsoAllowed.contains(state)) throw changeInProgress();
            machine.renameDestroyed();
            machine.become(State.DESTROYING, State.DESTROYED);
            if (state.isFailure()) removeNow(machine);
            else background("removal", machine, State.DESTROYED, () -> remove(machine));
        });
    }

    /// What happens to a sandbox without anybody asking; done when this returns.
    void strike(Machine machine, String what) throws InterruptedException {
        switch (what) {
            case "stop", "pause" -> {
                machine.become(State.STOPPING, State.STOPPED);
                box(machine).stop();
                machine.become(State.STOPPED, State.STOPPED);
            }
            case "archive" -> {
                box(machine).stop();
                machine.become(State.ARCHIVED, State.ARCHIVED);
            }
            case "delete" -> removeNow(machine);
            case "error", "recoverable-error" -> {
                box(machine).stop();
                machine.fail(State.ERROR, "runner lost the sandbox", what.startsWith("recoverable"));
            }
            default -> throw Refused.api(400, "stop, pause, archive, delete, error or recoverable-error");
        }
    }

    @Override
    public void close() {
        closed = true;
        idling.interrupt();
        machines.values().forEach(machine -> machine.box().ifPresent(Box::close));
    }

    /// Looks as the transient state until the work is done; `operation` is what faults call it.
    private void background(String operation, Machine machine, State then, Work work) {
        var during = machine.state();
        Thread.ofVirtual().name("daytona-" + operation).start(() -> {
            try {
                var wrong = Optional.<String>empty();
                switch (faults.next(operation).orElse(null)) {
                    case Fault.Kind.Delay(var by) -> Thread.sleep(by);
                    case Fault.Kind.Special(var name) -> wrong = Optional.of(name);
                    case null, default -> {}
                }
                work.run();
                var failure = wrong;
                change(machine, () -> end(machine, during, then, failure));
            } catch (InterruptedException e) {
                machine.fail(State.ERROR, "the fake is closing", false);
            } catch (FakeFailure e) {
                machine.fail(State.ERROR, String.valueOf(e.getMessage()), false);
            }
        });
    }

    private void end(Machine machine, State during, State then, Optional<String> failure) {
        if (machine.state() != during) return; // another change has overtaken this one
        if (failure.isEmpty()) machine.become(then, then);
        else machine.fail(State.ERROR, "runner lost the sandbox", failure.get().equals("recoverable-error"));
        if (then == State.DESTROYED) machines.remove(machine.id());
    }

    private void stopIdleOnes() {
        try {
            while (!closed) {
                Thread.sleep(EVERY);
                for (Machine machine : all()) if (machine.isIdle(Machine.now())) stop(machine);
            }
        } catch (InterruptedException _) {
            // The fake is closing.
        }
    }

    private void remove(Machine machine) throws InterruptedException {
        if (machine.box().isPresent()) machine.box().get().remove();
    }

    private void removeNow(Machine machine) {
        machines.remove(machine.id());
        machine.become(State.DESTROYED, State.DESTROYED);
        machine.box().ifPresent(Box::close);
    }

    private static Box box(Machine machine) {
        return machine.box().orElseThrow(() -> Refused.api(400, "Sandbox has no runner"));
    }

    private static Refused changeInProgress() {
        return Refused.api(409, "Sandbox state change in progress");
    }

    private void change(Machine machine, Runnable change) {
        alone(() -> {
            change.run();
            return machine;
        });
    }

    /// No state changes meanwhile, so that the answer to a change shows that change and not already its end.
    <T> T alone(Supplier<T> what) {
        changing.lock();
        try {
            return what.get();
        } finally {
            changing.unlock();
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws InterruptedException;
    }
}
