package hermit.skill;

import hermit.agent.Agent;
import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import hermit.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// The registry of skills, and who has which.
public final class Skills {
    private final Agents agents;
    private final SkillStore store;
    private final SkillSync sync;
    private final Path folder;
    private final World world;

    /// `folder`: holds one folder for each skill. It need not exist.
    public Skills(Agents agents, SkillStore store, SkillSync sync, Path folder, World world) {
        this.agents = agents;
        this.store = store;
        this.sync = sync;
        this.folder = folder;
        this.world = world;
    }

    /// A skill, and whether whoever was asked about has it: `AGENT` for itself, `ALL` because all have it.
    public record Held(Skill skill, Holding holding) {}

    public enum Holding {
        NONE,
        AGENT,
        ALL;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// What a scan found. `refused`: folders that are no skill, and why; an older version of theirs is gone as well.
    public record Scanned(
            List<SkillName> added, List<SkillName> changed, List<SkillName> removed, Map<String, String> refused) {
        public Scanned {
            added = List.copyOf(added);
            changed = List.copyOf(changed);
            removed = List.copyOf(removed);
            refused = new LinkedHashMap<>(refused);
        }
    }

    public List<Held> all() {
        var everybody = store.enabledFor(Optional.empty());
        return store.all().stream()
                .map(skill -> new Held(skill, everybody.contains(skill.name()) ? Holding.ALL : Holding.NONE))
                .toList();
    }

    public List<Held> of(AgentId id) {
        Agent agent = agents.get(id);
        var everybody = store.enabledFor(Optional.empty());
        var own = store.enabledFor(Optional.of(agent.uid()));
        return store.all().stream()
                .map(skill -> new Held(
                        skill,
                        everybody.contains(skill.name())
                                ? Holding.ALL
                                : own.contains(skill.name()) ? Holding.AGENT : Holding.NONE))
                .toList();
    }

    /// Reads all skills' folders again. Sandboxes of those who have what changed follow.
    public Scanned scan() {
        var found = new HashMap<Skill, byte[]>();
        var refused = new LinkedHashMap<String, String>();
        for (Path each : folders()) {
            try {
                var read = SkillFolder.read(each, world.now());
                found.put(read.skill(), read.archive());
            } catch (SkillFolder.Unfit e) {
                refused.put(String.valueOf(each.getFileName()), String.valueOf(e.getMessage()));
            }
        }
        var before = new HashMap<SkillName, String>();
        store.all().forEach(skill -> before.put(skill.name(), skill.digest()));
        store.replace(found);
        var added = new ArrayList<SkillName>();
        var changed = new ArrayList<SkillName>();
        for (Skill skill : found.keySet()) {
            String old = before.remove(skill.name());
            if (old == null) added.add(skill.name());
            else if (!old.equals(skill.digest())) changed.add(skill.name());
        }
        sync.changed(Optional.empty());
        return new Scanned(sorted(added), sorted(changed), sorted(before.keySet()), refused);
    }

    /// For one agent, or for all.
    public void enable(SkillName name, Optional<AgentId> agent) {
        require(name);
        Optional<UUID> uid = agent.map(id -> agents.get(id).uid());
        store.enable(name, uid);
        sync.changed(uid);
    }

    /// Throws [Conflict] for an agent that has the skill because all have it, and [NotFound] if it does not have it.
    public void disable(SkillName name, Optional<AgentId> agent) {
        require(name);
        Optional<UUID> uid = agent.map(id -> agents.get(id).uid());
        if (!store.disable(name, uid)) {
            if (uid.isPresent() && store.enabledFor(Optional.empty()).contains(name))
                throw new Conflict("The skill '%s' is enabled for all agents".formatted(name));
            throw new NotFound(
                    "The skill '%s' is not enabled %s".formatted(name, uid.isPresent() ? "here" : "for all"));
        }
        sync.changed(uid);
    }

    private void require(SkillName name) {
        if (store.find(name).isEmpty())
            throw new NotFound("There is no skill '%s'; a scan makes new ones known".formatted(name));
    }

    private List<Path> folders() {
        if (!Files.isDirectory(folder)) return List.of();
        try (var entries = Files.list(folder)) {
            return entries.filter(each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS))
                    .filter(each -> !String.valueOf(each.getFileName()).startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("list the folder of skills", e);
        }
    }

    private static List<SkillName> sorted(Collection<SkillName> names) {
        return names.stream().sorted().toList();
    }
}
