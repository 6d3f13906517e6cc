package hermit.cli;

import java.io.InputStream;

/// The terminal of the person who types.
interface LocalTerminal extends AutoCloseable {
    /// In characters.
    record Size(int columns, int rows) {
        /// Some terminals, such as those of scripts, say that they have no size.
        boolean isKnown() {
            return columns > 0 && rows > 0;
        }
    }

    Size size();

    /// Runs `action` after each change of the size, on a thread of its own.
    void onResize(Runnable action);

    /// From now on until it is closed, every key arrives as it is, Ctrl-C too, nothing is echoed, and a line
    /// feed is not more than that.
    void makeRaw();

    /// The keys. Not closed with the terminal.
    InputStream keys();

    /// Gives the terminal back as it was found. May be called twice.
    @Override
    void close();
}
