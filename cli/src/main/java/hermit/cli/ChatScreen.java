package hermit.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Terminal;

/// The terminal of a conversation: lines are read at a prompt, with JLine's editor, while others print above
/// it. Between two prompts what is printed follows what was printed before. Any thread may print; one reads.
///
/// JLine edits and nothing more. The terminal itself is our [LocalTerminal], raw from the beginning to the
/// end, which gives it back to the last bit.
final class ChatScreen implements AutoCloseable {
    /// What came of asking for a line.
    sealed interface Typed {
        record Line(String text) implements Typed {}

        /// Ctrl-C; `text` is what had been typed.
        record Interrupted(String text) implements Typed {}

        /// Ctrl-D, or the terminal has gone.
        record Left() implements Typed {}
    }

    private static final String CLEAR_LINE = "\r\033[K";

    private final LocalTerminal local;
    private final Terminal terminal;
    private final LineReader reader;
    private final boolean colours;
    private final Object lock = new Object();
    private final StringBuilder begun = new StringBuilder();
    private boolean reading;
    private boolean inLine;
    private boolean statusShown;

    private ChatScreen(LocalTerminal local, Terminal terminal, LineReader reader, boolean colours) {
        this.local = local;
        this.terminal = terminal;
        this.reader = reader;
        this.colours = colours;
    }

    /// Takes the terminal over. `interrupted` is run at each Ctrl-C while no line is asked for, `gone` when
    /// no more keys will come.
    static ChatScreen open(CliContext cli, List<String> words, Runnable interrupted, Runnable gone) throws CliFailure {
        LocalTerminal local = cli.surroundings().terminals().open();
        try {
            local.makeRaw();
            Terminal terminal = ChatEditor.terminal(local, cli.surroundings(), interrupted, gone);
            return new ChatScreen(
                    local,
                    terminal,
                    ChatEditor.on(terminal, words),
                    cli.output().colours());
        } catch (IOException e) {
            local.close();
            throw CliFailure.local("terminal", "take the terminal over: " + e.getMessage());
        }
    }

    /// Asks for a line.
    Typed read(String prompt) {
        synchronized (lock) {
            endLine();
            reading = true;
        }
        try {
            signals(false);
            return new Typed.Line(reader.readLine(prompt));
        } catch (UserInterruptException e) {
            var text = e.getPartialLine();
            return new Typed.Interrupted(text == null ? "" : text);
        } catch (EndOfFileException | IllegalStateException e) {
            // The latter is a terminal that had gone before it was asked.
            return new Typed.Left();
        } finally {
            signals(true);
            synchronized (lock) {
                reading = false;
                if (!begun.isEmpty()) put(begun.toString());
                inLine = !begun.isEmpty();
                begun.setLength(0);
            }
        }
    }

    /// Whether Ctrl-C is a signal, or a key like any other.
    private void signals(boolean on) {
        try {
            Attributes modes = terminal.getAttributes();
            modes.setLocalFlag(LocalFlag.ISIG, on);
            terminal.setAttributes(modes);
        } catch (IllegalStateException e) {
            // It has gone, and no key will come; whoever asks for a line learns that.
            return;
        }
    }

    /// Lets whoever asks for a line, now or later, learn that none will come.
    void giveUpReading() {
        try {
            terminal.close();
        } catch (IOException e) {
            // It has no descriptors of its own that could fail.
            throw new UncheckedIOException(e);
        }
    }

    /// Forgets what was typed and not asked for: it answered nothing.
    void forgetTyped() {
        try {
            boolean more = true;
            while (more && terminal.reader().available() > 0)
                more = terminal.reader().read(1L) >= 0;
        } catch (IOException e) {
            // No more keys will come; whoever asks for a line learns that.
            return;
        }
    }

    /// Goes on in the line that was begun. Line feeds end lines.
    void piece(String text) {
        if (text.isEmpty()) return;
        synchronized (lock) {
            clearStatus();
            if (reading) {
                begun.append(text);
                int end = begun.lastIndexOf("\n");
                if (end < 0) return;
                reader.printAbove(begun.substring(0, end));
                begun.delete(0, end + 1);
            } else {
                put(text);
                inLine = !text.endsWith("\n");
            }
        }
    }

    /// Lines of their own, behind the one that was begun.
    void line(String text) {
        synchronized (lock) {
            endLine();
            if (reading) reader.printAbove(text);
            else put(text + "\n");
        }
    }

    /// Ends the line that was begun, if one was.
    void endLine() {
        synchronized (lock) {
            clearStatus();
            if (inLine) put("\n");
            inLine = false;
            if (!begun.isEmpty() && reading) {
                reader.printAbove(begun.toString());
                begun.setLength(0);
            }
        }
    }

    /// What is happening, in a line that goes away with the next thing that is printed. There is none while a
    /// line is asked for.
    void status(String text) {
        synchronized (lock) {
            if (reading || !colours) return;
            endLine();
            // One row and no more, or what clears the row would leave the others.
            put(dim(Columns.clipped(text, ChatEditor.size(local).getColumns() - 1)));
            statusShown = true;
        }
    }

    String dim(String text) {
        return colours ? "\033[2m" + text + "\033[0m" : text;
    }

    String bold(String text) {
        return colours ? "\033[1m" + text + "\033[0m" : text;
    }

    private void clearStatus() {
        if (statusShown) put(CLEAR_LINE);
        statusShown = false;
    }

    private void put(String text) {
        try {
            terminal.writer().print(text);
            terminal.flush();
        } catch (IllegalStateException e) {
            // The terminal has gone, and there is nobody to show it to.
            return;
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            endLine();
        }
        try {
            terminal.close();
        } catch (IOException e) {
            // It has no descriptors of its own; the real one is given back below.
            return;
        } finally {
            local.close();
        }
    }
}
