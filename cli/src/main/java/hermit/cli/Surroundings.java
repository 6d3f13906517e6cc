package hermit.cli;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;

/// What one run of the command line sees of the world. Tests bring their own.
record Surroundings(
        Map<String, String> env,
        InputStream in,
        OutputStream out,
        OutputStream err,
        boolean outIsTerminal,
        boolean errIsTerminal,
        Interrupts interrupts,
        Pause pause,
        LocalTerminals terminals,
        SecretPrompt prompt) {

    Surroundings {
        env = Map.copyOf(env);
    }

    /// A variable that is there and not empty.
    Optional<String> variable(String name) {
        return Optional.ofNullable(env.get(name)).filter(value -> !value.isEmpty());
    }

    /// The real one. Whether streams are terminals is found out by the launcher, where it costs nothing:
    /// `HERMIT_TTY` names the descriptors that are.
    static Surroundings ofThisProcess() {
        var env = System.getenv();
        var terminals = env.getOrDefault("HERMIT_TTY", "");
        return new Surroundings(
                env,
                System.in,
                new java.io.FileOutputStream(java.io.FileDescriptor.out),
                new java.io.FileOutputStream(java.io.FileDescriptor.err),
                terminals.contains("1"),
                terminals.contains("2"),
                Interrupts.ofThisProcess(),
                Thread::sleep,
                terminals.contains("0") && terminals.contains("1")
                        // A lambda loads the class only when it is run.
                        ? () -> PosixTerminal.open()
                        : LocalTerminals.NONE,
                terminals.contains("0")
                        ? question -> new TerminalPrompt(System.in, System.err).ask(question)
                        : SecretPrompt.NONE);
    }
}
