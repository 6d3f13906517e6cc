package hermit.exec;

import java.util.List;

/// The machine that an ensure found or made.
///
/// - `generation`: grows each time that the machine is replaced.
/// - `notes`: what the caller should know, e.g. that it had to be made anew. Empty on a plain day.
public record Machine(String externalId, long generation, List<String> notes) {
    public Machine {
        notes = List.copyOf(notes);
    }
}
