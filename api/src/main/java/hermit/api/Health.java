package hermit.api;

/// `GET /health`: the process lives and answers.
public record Health(String status) {}
