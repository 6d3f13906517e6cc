package hermit.api;

/// The data of the event `notice`: something that a person should know, e.g. that the sandbox had to be made anew.
public record ExecNotice(String message) {}
