package hermit.backend.docker;

/// What the engine says of itself before anything else is asked of it.
///
/// - `name`: its release, e.g. `28.1.1`.
/// - `api`: the version that was agreed on.
/// - `architecture`: of its machine, e.g. `amd64`.
record EngineVersion(String name, ApiVersion api, String architecture) {}
