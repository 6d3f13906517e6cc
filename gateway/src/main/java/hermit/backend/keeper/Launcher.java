package hermit.backend.keeper;

import hermit.exec.MachineGone;
import hermit.exec.OutputSink;
import java.util.Optional;

/// Starts commands whose request is complete.
@FunctionalInterface
interface Launcher {
    /// Returns once it is known whether the command was started.
    Launched launch(StartRequest request, OutputSink sink) throws MachineGone, InterruptedException;

    /// A command and, if it was not started, why.
    record Launched(LinkedCommand command, Optional<Refusal> refusal) {}
}
