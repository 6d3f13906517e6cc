package hermit.backend.keeper;

import hermit.exec.MachineGone;
import java.io.IOException;

/// Reaches the keeper of one machine.
@FunctionalInterface
public interface BridgeOpener {
    /// Opens a new bridge; ends within a time limit of its own. [MachineGone] if the machine is certainly not running,
    /// any other exception if it could not be reached now.
    Bridge open() throws MachineGone, IOException, InterruptedException;
}
