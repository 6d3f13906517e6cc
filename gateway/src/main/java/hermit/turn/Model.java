package hermit.turn;

/// A language model. It keeps nothing between two prompts.
public interface Model {
    ModelInfo info();

    /// One answer to one prompt, asked for once: who wants to try again asks again. Blocks until it is
    /// whole; an interrupt breaks it off, and nobody reads on. What breaks off in the middle is a failure,
    /// however much of it has come.
    ///
    Answer answer(Prompt prompt, Listener listener) throws ModelFailure, InterruptedException;

    /// Told of an answer while it comes, on the thread that asks. Must not throw.
    interface Listener {
        /// The next piece of the answer's text.
        void said(String text);

        /// Something has come, whatever it is: text, a piece of a call, a thought, or a sign of life.
        void heard();
    }
}
