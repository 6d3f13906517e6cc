package hermit.backend.cloud;

import hermit.backend.keeper.Bridge;
import hermit.exec.MachineGone;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// The way into one running machine, with what little the provider's own exec must be able to do: bring a file in, run
/// a short program, and open one long stream to the keeper.
///
/// All methods throw [MachineGone] if the machine does not run (any more), and [IOException] for everything that may
/// be better in a moment. What the machine says is never trusted.
public interface Guest {
    /// Where the keeper lives in the machine.
    Lodging lodging();

    /// Writes a file whole, executable by whoever [#run] runs as. Its directory exists: [Lodging#uploads].
    void upload(String path, byte[] content) throws IOException, MachineGone, InterruptedException;

    /// Runs a short program to its end, as root where the provider lets us, and with `limit` as the provider's own time
    /// limit too. It was done when this returns; when it throws, it may have been.
    Ran run(List<String> argv, Duration limit) throws IOException, MachineGone, InterruptedException;

    /// Opens the stream to the keeper: stdin and stdout of a program that runs until the stream is closed. Bytes arrive
    /// unchanged both ways.
    Bridge open(List<String> argv) throws IOException, MachineGone, InterruptedException;

    /// - `output`: stdout, and stderr where the provider merges them; cut at 64 KiB.
    record Ran(int exitCode, String output) {}

    /// - `program`: the directory of the keeper's program, absolute; made with its parents if it is not there.
    /// - `uploads`: where [#upload] may write.
    /// - `socket`: the keeper's socket.
    /// - `terminalOnly`: the stream of [#open] is a terminal; the bridge lets bytes pass unchanged.
    record Lodging(String program, String uploads, String socket, boolean terminalOnly) {}
}
