package hermit.backend.docker;

import java.util.Map;

/// A container as the engine has it right now.
///
/// - `exitCode`, `error`: of its last run, where that is over.
/// - `env`: what every process in it starts with, the image's part included.
record FoundContainer(
        String id,
        String name,
        State state,
        int exitCode,
        String error,
        Map<String, String> labels,
        Map<String, String> env) {

    FoundContainer {
        labels = Map.copyOf(labels);
        env = Map.copyOf(env);
    }

    /// As the engine's status word.
    enum State {
        CREATED,
        RUNNING,
        PAUSED,
        RESTARTING,
        REMOVING,
        EXITED,
        DEAD;

        /// An unknown word counts as dead: there is no use for such a container.
        static State of(String word) {
            for (State each : values()) if (each.name().equalsIgnoreCase(word)) return each;
            return DEAD;
        }
    }
}
