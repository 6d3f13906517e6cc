package hermit.turn;

import java.util.List;

/// A part of the conversation as a model is shown it.
public sealed interface Message {
    /// What a person or a program has said.
    record User(String text) implements Message {}

    /// What the model has said. At least one of both is there.
    record Assistant(String text, List<WantedCall> calls) implements Message {
        public Assistant {
            calls = List.copyOf(calls);
        }
    }

    /// What came of the calls of the message before it: one for each, in the same order.
    record Results(List<CallResult> results) implements Message {
        public Results {
            results = List.copyOf(results);
        }
    }
}
