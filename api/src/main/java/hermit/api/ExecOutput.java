package hermit.api;

/// The data of the events `stdout` and `stderr`.
///
/// - `encoding`: of `data`: `utf8` or `base64`.
/// - `offset`: of the first byte in its stream.
public record ExecOutput(String data, String encoding, long offset) {}
