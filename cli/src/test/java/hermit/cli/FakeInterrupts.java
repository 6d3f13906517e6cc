package hermit.cli;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Ctrl-C, pressed by a test.
final class FakeInterrupts implements Interrupts {
    private final List<Runnable> guards = new CopyOnWriteArrayList<>();

    @Override
    public Guard guard(Runnable action) {
        guards.add(action);
        return () -> guards.remove(action);
    }

    void press() {
        guards.forEach(Runnable::run);
    }

    int guarding() {
        return guards.size();
    }
}
