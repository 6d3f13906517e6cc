package hermit.sandbox;

import java.time.Instant;
import java.util.UUID;

/// Who works on a row's machine right now, over all gateways that share the database. A lease that is
/// not renewed runs out, so that a gateway that died holds nothing for ever.
public interface LeaseStore {
    /// Takes the lease, or renews one's own. False if another gateway holds it and it has not run out.
    boolean acquire(SandboxId id, UUID gateway, Instant now, Instant until);

    /// Gives it back if it is (still) one's own.
    void release(SandboxId id, UUID gateway);
}
