package hermit.exec;

import java.time.Duration;
import java.util.Optional;

/// Where the commands of one sandbox run. Every call blocks; callers bring a virtual thread. What each
/// backend promises, and `ExecBackendContract` checks for all of them:
///
/// - [#ensure] is idempotent, finds the same machine again after the gateway has restarted, and repairs what drifted.
///   A
/// failed
///   first one leaves nothing behind.
/// - A command that fails is a result ([Exit]). An exception from [#start] means that it was not run at all.
/// - Output reaches the sink as it is produced, stdout and stderr apart and byte-exact. What arrived before a timeout
/// is not lost.
/// - The end comes when the command's first process ends, also when a background child still holds the pipes.
/// - Of a command that timed out or was cancelled, no process is left.
/// - A command id is started at most once, whatever is lost in between.
/// - Commands may run side by side. [#shutdown] may come at any moment, and twice.
///
/// Callers see to it that [#ensure], [#shutdown] and [#destroy] of one row never overlap.
public interface ExecBackend extends AutoCloseable {
    /// How long after a command's budget an answer is waited for before the transport counts as lost.
    Duration GRACE = Duration.ofSeconds(5);
    /// Between TERM and KILL.
    Duration KILL_GRACE = Duration.ofSeconds(2);

    /// Brings the machine up, or finds it again.
    Machine ensure(Progress progress) throws InterruptedException;

    /// Whether the machine of the last [#ensure] is known to be up without asking anybody, so that a
    /// command may start at once. A `true` that turns out to be wrong costs nothing: [#start] then
    /// throws [MachineGone] and the caller ensures again.
    boolean isReady();

    /// Where the keeper's program is inside the machine, absolute: it carries out what is done to files there. Only
    /// asked of a backend with [Capability#FILES].
    String keeperPath();

    /// Starts a command in the machine of the last [#ensure]. Returns once the program has been executed.
    ///
    /// Throws [MachineGone] if the machine is not there and the command has certainly not been started.
    RunningCommand start(Command command, OutputSink sink) throws InterruptedException, MachineGone;

    /// Finds a command again that an earlier gateway started, and follows it from these offsets. Empty if the machine
    /// does not know
    /// it. A gap in what is still held is seen by the sink as a jump in offsets.
    Optional<RunningCommand> attach(ExecId id, long stdoutOffset, long stderrOffset, OutputSink sink)
            throws InterruptedException, MachineGone;

    /// The outcome of this command has been stored by the gateway: the machine need not keep its output
    /// any longer. Its id is still refused.
    void forget(ExecId id);

    /// Stops the machine; files stay. Nothing to do if there is none.
    void shutdown() throws InterruptedException;

    /// Removes the machine. Files of the agent that lie outside of it stay.
    void destroy() throws InterruptedException;

    /// Asks the provider.
    LiveState observe() throws InterruptedException;

    /// Lets go of connections. The machine is left as it is.
    @Override
    void close();
}
