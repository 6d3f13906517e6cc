package hermit.http;

import java.util.Optional;
import java.util.regex.Pattern;

/// Where the events of a stream go. Every event is sent at once, and sending blocks while the client does not read:
/// nothing is held in memory for it. Safe to use from several threads.
public interface EventStream {
    /// Sends one event. Throws [ClientGone] once nobody reads any more.
    void send(Event event);

    /// - `id`: what a client gives back as `Last-Event-ID`; empty leaves the last one in force.
    /// - `data`: a record of the API, or one that writes itself.
    record Event(Optional<String> id, String name, Object data) {
        private static final Pattern ID_SHAPE = Pattern.compile("[!-~]{1,128}");
        private static final Pattern NAME_SHAPE = Pattern.compile("[a-z_]{1,64}");

        public Event {
            if (!NAME_SHAPE.matcher(name).matches()) throw new IllegalArgumentException("not an event's name: " + name);
            if (id.isPresent() && !ID_SHAPE.matcher(id.get()).matches())
                throw new IllegalArgumentException("not an event's id");
        }

        public static Event of(String name, Object data) {
            return new Event(Optional.empty(), name, data);
        }

        public static Event of(String id, String name, Object data) {
            return new Event(Optional.of(id), name, data);
        }
    }
}
