package hermit.access;

/// Who sends a request, as far as it could be proven.
public sealed interface Caller {
    /// Shown no credential.
    record Anonymous() implements Caller {}

    /// Holds the gateway's admin token.
    record Admin() implements Caller {}

    /// How records and logs name them, e.g. `admin`.
    default String name() {
        return switch (this) {
            case Anonymous _ -> "anonymous";
            case Admin _ -> "admin";
        };
    }
}
