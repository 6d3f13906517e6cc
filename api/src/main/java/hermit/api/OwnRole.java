package hermit.api;

/// What the caller is at an agent: `owner`, which the admin is everywhere, `user` or `guest`.
public record OwnRole(String role) {}
