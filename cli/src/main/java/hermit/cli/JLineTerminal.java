package hermit.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.ControlFlag;
import org.jline.terminal.Attributes.InputFlag;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Attributes.OutputFlag;
import org.jline.terminal.Terminal;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;

/// The real terminal. JLine switches it, measures it and hears of its resizes; bytes go past JLine, as they
/// are.
///
/// JLine also gives the terminal back in a shutdown hook of its own, if the process is asked to end.
final class JLineTerminal implements LocalTerminal {
    private final Terminal terminal;

    private JLineTerminal(Terminal terminal) {
        this.terminal = terminal;
    }

    static LocalTerminal open() throws CliFailure {
        try {
            return new JLineTerminal(TerminalBuilder.builder()
                    .system(true)
                    .provider("ffm")
                    .dumb(false)
                    // Its handlers of INT and TERM would take the place of ours.
                    .nativeSignals(false)
                    // What kind it is matters in the sandbox only; JLine would start a program to look it up.
                    .type("ansi")
                    .build());
        } catch (IOException | IllegalStateException e) {
            throw CliFailure.local("terminal", "take over this terminal: " + e.getMessage());
        }
    }

    @Override
    public void makeRaw() {
        terminal.setAttributes(raw(terminal.getAttributes()));
    }

    /// As `cfmakeraw(3)` does it.
    private static Attributes raw(Attributes found) {
        var raw = new Attributes(found);
        raw.setInputFlags(
                EnumSet.of(
                        InputFlag.IGNBRK,
                        InputFlag.BRKINT,
                        InputFlag.PARMRK,
                        InputFlag.ISTRIP,
                        InputFlag.INLCR,
                        InputFlag.IGNCR,
                        InputFlag.ICRNL,
                        InputFlag.IXON),
                false);
        raw.setOutputFlag(OutputFlag.OPOST, false);
        raw.setLocalFlags(
                EnumSet.of(LocalFlag.ECHO, LocalFlag.ECHONL, LocalFlag.ICANON, LocalFlag.ISIG, LocalFlag.IEXTEN),
                false);
        raw.setControlFlag(ControlFlag.PARENB, false);
        raw.setControlFlag(ControlFlag.CS8, true);
        raw.setControlChar(ControlChar.VMIN, 1);
        raw.setControlChar(ControlChar.VTIME, 0);
        return raw;
    }

    @Override
    public Size size() {
        var size = terminal.getSize();
        return new Size(size.getColumns(), size.getRows());
    }

    @Override
    public void onResize(Runnable action) {
        terminal.handle(Signal.WINCH, _ -> action.run());
    }

    @Override
    public InputStream keys() {
        return System.in;
    }

    @Override
    public void close() {
        try {
            terminal.close();
        } catch (IOException e) {
            throw new UncheckedIOException("give the terminal back", e);
        }
    }
}
