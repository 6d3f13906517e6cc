package hermit.turn;

import java.util.List;

/// What a model has answered.
///
/// - `text`: possibly empty, where it calls tools.
/// - `calls`: what it wants to be called, all at the same time.
/// - `cut`: it would have gone on, but for the limit on its output.
public record Answer(String text, List<WantedCall> calls, Usage usage, boolean cut) {
    public Answer {
        calls = List.copyOf(calls);
    }
}
