package hermit.fake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The faults that wait for their turn: each operation meets those that were asked for it in order.
public final class Faults {
    private final Map<String, Deque<Fault.Kind>> waiting = new HashMap<>();

    public synchronized void add(Fault fault) {
        var queue = waiting.computeIfAbsent(fault.operation(), _ -> new ArrayDeque<>());
        for (int i = 0; i < fault.times(); i++) queue.add(fault.kind());
    }

    /// The fault that this call of the operation meets.
    public synchronized Optional<Fault.Kind> next(String operation) {
        var queue = waiting.get(operation);
        return queue == null ? Optional.empty() : Optional.ofNullable(queue.poll());
    }

    public synchronized void clear() {
        waiting.clear();
    }
}
