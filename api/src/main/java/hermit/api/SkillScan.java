package hermit.api;

import java.util.List;

/// What a scan of the skills' folders found, by name.
///
/// - `removed`: were known, and are not there any more.
/// - `refused`: folders that are no skill.
public record SkillScan(List<String> added, List<String> changed, List<String> removed, List<Refused> refused) {
    public SkillScan {
        added = List.copyOf(added);
        changed = List.copyOf(changed);
        removed = List.copyOf(removed);
        refused = List.copyOf(refused);
    }

    public record Refused(String folder, String message) {}
}
