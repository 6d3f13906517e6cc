package hermit.backend.docker;

/// What one has to know of the engine to make a container.
///
/// - `cpus`: how many its machine has.
record EngineFacts(EngineVersion version, int cpus) {}
