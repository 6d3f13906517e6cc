package hermit.cli;

import java.io.BufferedOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.LineReader.Option;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.InputFlag;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Attributes.OutputFlag;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.impl.ExternalTerminal;
import org.jline.utils.InfoCmp;

/// JLine's editor of lines, set up for a conversation at a terminal that is ours.
final class ChatEditor {
    private static final int CTRL_C = 3;
    private static final int CTRL_D = 4;
    private static final String INTERRUPT = "hermit-interrupt";

    private ChatEditor() {}

    /// The terminal as JLine sees it. It has no descriptors of its own.
    static Terminal terminal(LocalTerminal local, Surroundings surroundings, Runnable interrupted, Runnable gone)
            throws IOException {
        String type = surroundings.variable("TERM").orElse("dumb");
        // JLine knows the usual ones itself, and would all the same start a program to ask.
        if (InfoCmp.getDefaultInfoCmp(type) != null)
            InfoCmp.setLoadedInfoCmp(type, () -> InfoCmp.getDefaultInfoCmp(type));
        Terminal terminal = new ExternalTerminal(
                null,
                "hermit",
                type,
                new Keys(local.keys(), gone),
                new BufferedOutputStream(surroundings.out()),
                StandardCharsets.UTF_8,
                _ -> interrupted.run(),
                false,
                modes(),
                size(local));
        local.onResize(() -> {
            terminal.setSize(size(local));
            terminal.raise(Signal.WINCH);
        });
        terminal.handle(Signal.WINCH, Terminal.SignalHandler.SIG_IGN);
        return terminal;
    }

    /// As of a terminal that shows nothing of what is typed between two prompts. It is kept for the next one.
    private static Attributes modes() {
        var modes = new Attributes();
        modes.setLocalFlag(LocalFlag.ISIG, true);
        modes.setOutputFlag(OutputFlag.OPOST, true);
        modes.setOutputFlag(OutputFlag.ONLCR, true);
        modes.setInputFlag(InputFlag.ICRNL, true);
        modes.setControlChar(ControlChar.VINTR, CTRL_C);
        modes.setControlChar(ControlChar.VEOF, CTRL_D);
        return modes;
    }

    static Size size(LocalTerminal local) {
        var size = local.size();
        return size.isKnown() ? Size.of(size.columns(), size.rows()) : Size.of(80, 24);
    }

    /// A line is text: no quotes, escapes or `!` in it mean anything. Nothing is kept in a file.
    static LineReader on(Terminal terminal, List<String> words) {
        var plain = new DefaultParser();
        plain.setQuoteChars(new char[0]);
        plain.setEscapeChars(new char[0]);
        LineReader reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("hermit")
                .parser(plain)
                .completer((_, line, found) -> {
                    if (line.wordIndex() == 0 && line.word().startsWith("/"))
                        for (String word : words) found.add(new Candidate(word));
                })
                .option(Option.DISABLE_EVENT_EXPANSION, true)
                .option(Option.INSERT_TAB, true)
                .option(Option.BRACKETED_PASTE, true)
                .build();
        // At a prompt Ctrl-C is a key: as a signal it could come between the prompt and whoever listens for it.
        reader.getWidgets().put(INTERRUPT, () -> {
            throw new UserInterruptException(reader.getBuffer().toString());
        });
        Objects.requireNonNull(reader.getKeyMaps().get(LineReader.MAIN))
                .bind(new Reference(INTERRUPT), Character.toString(CTRL_C));
        return reader;
    }

    /// Tells when the keys have come to their end. They are read in pieces.
    private static final class Keys extends FilterInputStream {
        private final Runnable gone;

        Keys(InputStream keys, Runnable gone) {
            super(keys);
            this.gone = gone;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = super.read(bytes, offset, length);
            if (read < 0) gone.run();
            return read;
        }

        /// They are the process's own, and outlive the conversation.
        @Override
        public void close() {}
    }
}
