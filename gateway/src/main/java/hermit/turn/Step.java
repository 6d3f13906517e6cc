package hermit.turn;

import java.util.List;

/// One answer of the model within a turn, and what came of the calls that it asked for.
///
/// - `number`: 1 for a turn's first.
/// - `results`: those that are known; after a death of the gateway there may be fewer than calls.
public record Step(int number, String text, List<WantedCall> calls, List<CallResult> results) {
    public Step {
        calls = List.copyOf(calls);
        results = List.copyOf(results);
    }
}
