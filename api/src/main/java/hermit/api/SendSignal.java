package hermit.api;

/// `POST …/execs/{exec_id}/signal`, by name: `TERM` or `SIGTERM`.
public record SendSignal(String signal) {}
