package hermit.skill;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/// How skills are kept, their files included, so that every gateway on the database has them. Each call is one
/// transaction.
public interface SkillStore {
    /// In order of their names.
    List<Skill> all();

    Optional<Skill> find(SkillName name);

    /// The skill's files as a tar whose names begin with the skill's own.
    byte[] archive(SkillName name);

    /// Makes the registry hold exactly these. Who has a skill that stays keeps it; one that goes is gone for all.
    void replace(Map<Skill, byte[]> skills);

    /// The digests of what an agent has, by name: its own, and those of all agents.
    Map<SkillName, String> of(UUID agentUid);

    /// Who has which: what all have is under the empty key.
    Set<SkillName> enabledFor(Optional<UUID> agentUid);

    /// For one agent, or for all. Nothing changes if it is so already.
    void enable(SkillName name, Optional<UUID> agentUid);

    /// Whether it was enabled for exactly that agent, or exactly for all.
    boolean disable(SkillName name, Optional<UUID> agentUid);
}
