package hermit.api;

import java.util.List;

/// What became of an archive that was taken apart in a sandbox: `refused` entries are not there, everything else is.
/// `refusedCount` is more than is listed where there are very many.
public record Unpacked(List<Refused> refused, long refusedCount) {
    public Unpacked {
        refused = List.copyOf(refused);
    }

    /// `reason`: `absolute`, `parent`, `link`, `hard_link`, `device`, `set_id`, `type`, `name`, `not_a_directory` or
    /// `is_a_directory`.
    public record Refused(String name, String reason) {}
}
