package hermit.api;

/// The data of the event `resync`: output of a stream is not held any more; what follows begins at `offset`.
public record ExecResync(String stream, long offset) {}
