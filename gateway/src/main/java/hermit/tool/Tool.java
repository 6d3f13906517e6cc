package hermit.tool;

import hermit.problem.GatewayException.NotFound;
import java.util.Locale;

/// What can be called in a session.
public enum Tool {
    EXEC(true),
    EXEC_BACKGROUND(true),
    EXEC_STATUS(false),
    EXEC_CANCEL(false),
    READ_FILE(false),
    WRITE_FILE(true),
    EDIT_FILE(true),
    LIST_FILES(false);

    private final boolean acts;

    Tool(boolean acts) {
        this.acts = acts;
    }

    /// Whether it runs code or writes.
    public boolean acts() {
        return acts;
    }

    /// Whether it runs a command.
    public boolean runs() {
        return this == EXEC || this == EXEC_BACKGROUND;
    }

    /// From a path: what is no tool cannot be found.
    public static Tool inPath(String text) {
        for (Tool each : values()) if (each.toString().equals(text)) return each;
        throw new NotFound("No such tool");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
