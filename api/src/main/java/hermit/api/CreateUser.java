package hermit.api;

/// A request for a new person.
public record CreateUser(String name) {}
