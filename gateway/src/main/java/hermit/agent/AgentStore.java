package hermit.agent;

import hermit.paging.Page;
import hermit.paging.PageRequest;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/// How agents are kept. Only live ones are ever found. They are made and deleted together with their sandboxes, see
/// `hermit.sandbox.SandboxStore`.
public interface AgentStore {
    Optional<Agent> find(AgentId id);

    /// In order of id; the page's key is the id.
    Page<Agent> list(PageRequest page);

    /// Like [#list], of these agents only.
    Page<Agent> list(Set<UUID> uids, PageRequest page);

    /// Puts another config in place and counts the version up; empty if there is no such agent, or if `ifVersion` is
    /// given and is not the stored one.
    Optional<Agent> updateConfig(UUID uid, OptionalLong ifVersion, AgentConfig config, Instant now);

    Set<UUID> liveUids();
}
