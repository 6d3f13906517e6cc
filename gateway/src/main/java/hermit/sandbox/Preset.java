package hermit.sandbox;

import hermit.exec.BackendConfig;

/// A named template that a new sandbox copies.
public record Preset(String name, BackendConfig config) {}
