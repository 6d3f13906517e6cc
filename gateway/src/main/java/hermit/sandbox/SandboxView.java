package hermit.sandbox;

import hermit.exec.Capability;
import hermit.exec.LiveState;
import java.util.Optional;
import java.util.Set;

/// A row as it is shown: with its effective lifecycle, what it can do, and its live state where it was
/// asked for and is known.
public record SandboxView(
        Sandbox sandbox, EffectiveLifecycle lifecycle, Set<Capability> capabilities, Optional<LiveState> runtime) {}
