package hermit.fake;

import java.net.URI;

/// A provider's wire on a port of this machine, with machines that run real commands.
public interface FakeProvider extends AutoCloseable {
    /// Where its control plane listens.
    URI address();

    Faults faults();

    Journal journal();

    /// Removes its machines.
    @Override
    void close();
}
