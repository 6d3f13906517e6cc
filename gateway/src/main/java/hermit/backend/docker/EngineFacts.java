package hermit.backend.docker;

/// What the engine says of itself.
///
/// - `api`: the version that was agreed on.
/// - `architecture`: of its machine, e.g. `amd64`.
/// - `cpus`: how many its machine has.
record EngineFacts(String version, ApiVersion api, String architecture, int cpus) {}
