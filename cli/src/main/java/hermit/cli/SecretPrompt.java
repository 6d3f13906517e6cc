package hermit.cli;

import java.util.Optional;

/// Asks whoever sits at the terminal for something that nobody else should see.
@FunctionalInterface
interface SecretPrompt {
    /// There is no terminal on stdin.
    SecretPrompt NONE = _ -> Optional.empty();

    /// The line that was typed, without its end; empty where there is nobody to ask.
    Optional<String> ask(String question) throws CliFailure;
}
