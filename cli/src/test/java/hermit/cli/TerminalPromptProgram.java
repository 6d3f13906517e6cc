package hermit.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/// A process that asks at its terminal: with `answered`, says what it has been told; with `killed`, is ended
/// by a signal as soon as it has asked.
final class TerminalPromptProgram {
    private TerminalPromptProgram() {}

    public static void main(String[] args) throws Exception {
        var err = args[0].equals("killed") ? new Deadly() : System.err;
        var answer = new TerminalPrompt(System.in, err).ask("Token: ").orElseThrow();
        System.out.println("answer " + answer.chars().boxed().toList());
    }

    /// The question is the last that this process says.
    private static final class Deadly extends ByteArrayOutputStream {
        @Override
        public void flush() throws IOException {
            new ProcessBuilder(
                            "kill",
                            "-TERM",
                            Long.toString(ProcessHandle.current().pid()))
                    .start();
        }
    }
}
