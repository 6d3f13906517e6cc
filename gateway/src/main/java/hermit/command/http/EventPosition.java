package hermit.command.http;

import hermit.problem.GatewayException.Invalid;
import java.util.regex.Pattern;

/// How far both streams have been read: the id of an event, `stdout:stderr` in bytes.
record EventPosition(long stdout, long stderr) {
    static final EventPosition START = new EventPosition(0, 0);

    private static final Pattern SHAPE = Pattern.compile("([0-9]{1,18}):([0-9]{1,18})");

    /// From `Last-Event-ID`. Throws [Invalid] for what no event's id was.
    static EventPosition parse(String id) {
        var matcher = SHAPE.matcher(id.strip());
        if (!matcher.matches()) throw new Invalid("Last-Event-ID", "is the id of no event of a command");
        return new EventPosition(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    @Override
    public String toString() {
        return stdout + ":" + stderr;
    }
}
