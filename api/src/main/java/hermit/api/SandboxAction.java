package hermit.api;

import java.util.List;

/// The row after a start or stop. `notes` say what had to be done, e.g. that the machine had to be made anew.
public record SandboxAction(Sandbox sandbox, List<String> notes) {
    public SandboxAction {
        notes = List.copyOf(notes);
    }
}
