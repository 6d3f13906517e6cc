package hermit.turn;

import java.util.function.Consumer;

/// A language model. It keeps nothing between two prompts.
public interface Model {
    ModelInfo info();

    /// One answer to one prompt, asked for once: who wants to try again asks again. Blocks until it is
    /// whole; an interrupt breaks it off, and nobody reads on. What breaks off in the middle is a failure,
    /// however much of it has come.
    ///
    /// - `text`: takes the answer's text as it comes, on this thread. Must not throw.
    Answer answer(Prompt prompt, Consumer<String> text) throws ModelFailure, InterruptedException;
}
