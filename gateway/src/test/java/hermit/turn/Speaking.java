package hermit.turn;

import java.util.List;

/// A model for which a test speaks, on the thread that asks.
public record Speaking(Words words) implements Model {
    @FunctionalInterface
    public interface Words {
        Answer of(Listener listener) throws ModelFailure, InterruptedException;
    }

    /// Says this, and nothing else.
    public static Answer text(String text) {
        return new Answer(text, List.of(), Usage.NONE, false);
    }

    @Override
    public ModelInfo info() {
        return new ModelInfo("gpt", "openai_compatible", "m-1", 128_000, 2_000);
    }

    @Override
    public Answer answer(Prompt prompt, Listener listener) throws ModelFailure, InterruptedException {
        return words.of(listener);
    }
}
