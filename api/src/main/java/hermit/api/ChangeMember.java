package hermit.api;

/// Gives a member another role.
public record ChangeMember(String role) {}
