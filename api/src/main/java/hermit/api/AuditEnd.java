package hermit.api;

/// The last line of an export: without it, something is missing.
public record AuditEnd(boolean end, long records) {}
