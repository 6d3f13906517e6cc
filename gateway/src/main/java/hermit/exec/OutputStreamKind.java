package hermit.exec;

import java.util.Locale;

/// The two streams of a command, never merged.
public enum OutputStreamKind {
    STDOUT,
    STDERR;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
