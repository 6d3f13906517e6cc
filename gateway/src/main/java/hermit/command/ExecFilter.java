package hermit.command;

/// Which commands of a sandbox are listed.
public enum ExecFilter {
    ALL,
    /// Those that have not ended.
    OPEN
}
