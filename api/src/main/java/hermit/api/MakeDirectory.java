package hermit.api;

/// A directory to be made, with its parents.
public record MakeDirectory(String path) {}
