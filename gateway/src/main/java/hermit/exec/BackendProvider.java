package hermit.exec;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// One kind of machine, with the provider's address and credentials: makes the backend of each row.
public interface BackendProvider extends AutoCloseable {
    BackendType type();

    /// What sandboxes of this type can do.
    Set<Capability> capabilities();

    /// Cheap: asks nobody, starts nothing.
    ExecBackend open(MachineSpec spec);

    /// The live state of all machines of this gateway by sandbox id, from one question to the provider, at most 2 s
    /// old. A provider whose
    /// machines are only asked one by one answers with an empty map.
    Map<UUID, LiveState> observeAll() throws InterruptedException;

    /// Whether the provider can be used right now.
    Health health() throws InterruptedException;

    /// Whether the operator has given what is needed to use it; a key, for instance. Without it rows are stored all the
    /// same, and using one says what is missing.
    default boolean isConfigured() {
        return true;
    }

    /// All machines at the provider that carry this gateway's mark, in any state. The provider's list may lag.
    List<FoundMachine> machines() throws InterruptedException;

    /// Destroys one of [#machines]. Nothing to do if it is not there any more.
    void destroy(FoundMachine machine) throws InterruptedException;

    /// Removes machines of this gateway that no live row owns, once they have been seen without one for the grace
    /// period, and finishes removals
    /// that failed. Removes the workspaces of agents that are gone.
    void sweep(Set<UUID> liveSandboxes, Set<UUID> liveAgents) throws InterruptedException;

    /// Removes what belongs to an agent that was deleted: its workspace.
    void agentDeleted(UUID agentUid) throws InterruptedException;

    @Override
    void close();

    /// `detail` is for people: a version, or why it cannot be used. Never a secret.
    record Health(boolean up, String detail) {}
}
