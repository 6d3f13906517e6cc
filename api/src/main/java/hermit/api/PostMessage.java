package hermit.api;

/// `POST …/messages`.
public record PostMessage(String text) {}
