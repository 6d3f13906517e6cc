package hermit.api;

/// A file or directory to be renamed.
public record MoveFile(String from, String to) {}
