package hermit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/// The keeper's binaries, as the build has packed them into the gateway's jar.
final class KeeperResources {
    private KeeperResources() {}

    /// The static binary for an architecture as an engine names it, e.g. `amd64`.
    static Optional<byte[]> find(String architecture) {
        try (InputStream binary = KeeperResources.class.getResourceAsStream("/keeper/keeper-" + architecture)) {
            return binary == null ? Optional.empty() : Optional.of(binary.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("read the keeper for " + architecture, e);
        }
    }
}
