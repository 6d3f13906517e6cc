package hermit.sandbox;

import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Machine;
import hermit.identity.UserId;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Conflict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/// How rows are kept. Each call is one transaction. Changes are compare-and-set: a deleted row stays
/// deleted, whatever comes late.
public interface SandboxStore {
    /// Puts an agent, its policy and its first sandbox in place, all or nothing. Throws
    /// [hermit.problem.GatewayException.Conflict] if a live agent has the id.
    ///
    /// `owner`: who made it; nobody where the admin did.
    void createAgent(Agent agent, SecurityPolicy security, Optional<Sandbox> first, Optional<UserId> owner);

    /// Deletes a live agent and its live rows softly. The rows as they were before, or empty if there is no such live
    /// agent.
    Optional<List<Sandbox>> deleteAgent(UUID agentUid, Instant now);

    /// Throws [Conflict] if a live row of the agent has the alias, or if it has `most` of them already, and
    /// [hermit.problem.GatewayException.NotFound] if the agent is not live (any more).
    void add(Sandbox sandbox, int most);

    static Conflict tooMany(int most) {
        return new Conflict("The agent has %d sandboxes already, which is limits.sandboxes_per_agent".formatted(most));
    }

    /// However many there are.
    default void add(Sandbox sandbox) {
        add(sandbox, Integer.MAX_VALUE);
    }

    /// A live row.
    Optional<Sandbox> find(UUID agentUid, Alias alias);

    /// A row in any state.
    Optional<Sandbox> find(SandboxId id);

    /// The live rows of one agent, in order of creation.
    List<Sandbox> ofAgent(UUID agentUid);

    /// Rows of all agents in order of id; the page's key is the id.
    Page<Sandbox> list(SandboxFilter filter, PageRequest page);

    Set<UUID> liveIds();

    /// Puts another config in place if the row is live and still at `version`.
    Optional<Sandbox> updateConfig(SandboxId id, long version, BackendConfig config);

    /// Notes a successful ensure: external id, generation, `last_seen_at` and `last_used_at`; pending becomes
    /// provisioned. Empty if the row has been
    /// deleted. A generation never goes back.
    Optional<Sandbox> seen(SandboxId id, Machine machine, Instant now);

    /// Changes what the row remembers for itself. `change` may be called more than once. Does nothing on a deleted row.
    void updateRuntimeState(SandboxId id, UnaryOperator<Map<String, Object>> change);

    /// Notes a sign of use: `last_used_at`, and `last_seen_at` too where `seen` says that the machine was there. Does
    /// nothing on a deleted row.
    void used(SandboxId id, boolean seen, Instant now);

    /// Deletes a live row softly, keeping its external id as what is left behind. The row as it was, or
    /// empty if it was not live.
    Optional<Sandbox> delete(SandboxId id, Instant now);

    /// Deleted rows of a type whose machine has not been removed.
    List<Sandbox> leftBehind(BackendType type);

    /// The machine of a deleted row is gone.
    void removed(SandboxId id);
}
