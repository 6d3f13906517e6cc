package hermit.skill;

import hermit.command.SandboxFiles;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.ProviderError;
import hermit.sandbox.Machines;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxFilter;
import hermit.sandbox.SandboxStore;
import hermit.world.World;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes `<agent_home>/.hermit/skills/` of each sandbox hold exactly its agent's skills.
///
/// A machine that runs gets them at once. For one that is down the wish is queued in the row's `runtime_state`, and
/// replayed when the machine comes up, also after a restart of the gateway. A wish is the whole set that is wanted, so
/// that of several in the queue only the last has to be carried out: the others would be overwritten by it.
public final class SkillSync implements Machines.Arrival {
    static final String SYNCED = "skills";
    static final String QUEUE = "skill_syncs";

    private static final Logger log = LoggerFactory.getLogger(SkillSync.class);
    /// Of the queue; what is older has been overtaken.
    private static final int MOST_QUEUED = 100;

    private final SkillStore skills;
    private final SandboxStore sandboxes;
    private final Machines machines;
    private final SandboxFiles files;
    private final World world;

    public SkillSync(SkillStore skills, SandboxStore sandboxes, Machines machines, SandboxFiles files, World world) {
        this.skills = skills;
        this.sandboxes = sandboxes;
        this.machines = machines;
        this.files = files;
        this.world = world;
    }

    /// What an agent has, or all have, may have changed. Returns at once where nothing has to be done.
    void changed(Optional<UUID> agentUid) {
        for (Sandbox row : agentUid.map(sandboxes::ofAgent).orElseGet(this::everyRow)) {
            var wanted = wanted(row);
            if (wanted.equals(synced(row)) && queue(row).isEmpty()) continue;
            sandboxes.updateRuntimeState(row.id(), state -> queued(state, wanted));
            if (machines.isUp(row.id())) Thread.ofVirtual().name("skill-sync").start(() -> come(row));
        }
    }

    /// Carries out what is wanted of a machine that has just come up. What went wrong is said, and tried again at the
    /// next time.
    @Override
    public List<String> arrived(Sandbox row) throws InterruptedException {
        var now = sandboxes.find(row.id()).filter(Sandbox::isLive);
        if (now.isEmpty()) return List.of();
        var wanted = wanted(now.get());
        int queued = queue(now.get()).size();
        if (queued == 0
                && wanted.equals(synced(now.get()))
                && generation(now.get()) == now.get().generation()) return List.of();
        if (queued == 0 && wanted.isEmpty() && synced(now.get()).isEmpty()) return List.of();
        try {
            bring(now.get(), wanted);
        } catch (GatewayException e) {
            return List.of("the agent's skills could not be brought into the sandbox: " + e.detail());
        } catch (IOException e) {
            return List.of("the agent's skills could not be brought into the sandbox: " + e.getMessage());
        }
        long generation = now.get().generation();
        sandboxes.updateRuntimeState(row.id(), state -> done(state, wanted, generation, queued));
        return List.of();
    }

    private void come(Sandbox row) {
        try {
            arrived(row).forEach(problem -> log.warn("sandbox {}: {}", row.id(), problem));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (GatewayException e) {
            log.warn("sandbox {}: its skills wait: {}", row.id(), e.detail());
        }
    }

    /// Beside the old ones first, so that a break in the middle leaves those.
    private void bring(Sandbox row, Map<String, String> wanted) throws IOException, InterruptedException {
        String home = row.config().agentHome() + "/.hermit";
        String fresh = home + "/skills-" + world.newRandomId();
        files.mkdir(row.agentId(), row.alias(), fresh);
        for (String name : wanted.keySet()) {
            var archive = new ByteArrayInputStream(skills.archive(new SkillName(name)));
            var unpacked = files.unpack(row.agentId(), row.alias(), fresh, archive);
            if (unpacked.count() > 0)
                throw new ProviderError("the sandbox refused %d files of the skill '%s', first %s"
                        .formatted(
                                unpacked.count(),
                                name,
                                unpacked.refused().getFirst().name()));
        }
        try {
            files.delete(row.agentId(), row.alias(), home + "/skills", true);
        } catch (NotFound e) {
            log.debug("sandbox {} has had no skills before", row.id());
        }
        files.move(row.agentId(), row.alias(), fresh, home + "/skills");
    }

    private List<Sandbox> everyRow() {
        var all = new ArrayList<Sandbox>();
        var page = PageRequest.first(PageRequest.MAX_LIMIT);
        while (true) {
            var rows = sandboxes.list(SandboxFilter.ALL, page);
            all.addAll(rows.items());
            if (rows.next().isEmpty()) return all;
            page = new PageRequest(rows.next(), PageRequest.MAX_LIMIT);
        }
    }

    private Map<String, String> wanted(Sandbox row) {
        var wanted = new TreeMap<String, String>();
        skills.of(row.agentUid()).forEach((name, digest) -> wanted.put(name.value(), digest));
        return wanted;
    }

    // --- what the row remembers

    private static Map<String, String> synced(Sandbox row) {
        return row.runtimeState().get(SYNCED) instanceof Map<?, ?> state ? texts(state.get("digests")) : Map.of();
    }

    private static long generation(Sandbox row) {
        return row.runtimeState().get(SYNCED) instanceof Map<?, ?> state
                        && state.get("generation") instanceof Number number
                ? number.longValue()
                : 0;
    }

    private static List<?> queue(Sandbox row) {
        return row.runtimeState().get(QUEUE) instanceof List<?> list ? list : List.of();
    }

    private static Map<String, String> texts(@Nullable Object given) {
        var texts = new TreeMap<String, String>();
        if (given instanceof Map<?, ?> map)
            map.forEach((key, value) -> texts.put(String.valueOf(key), String.valueOf(value)));
        return texts;
    }

    private static Map<String, Object> queued(Map<String, Object> state, Map<String, String> wanted) {
        var next = new LinkedHashMap<>(state);
        var queue = new ArrayList<Object>(state.get(QUEUE) instanceof List<?> list ? list : List.of());
        if (queue.isEmpty() || !texts(queue.getLast()).equals(wanted)) queue.add(wanted);
        if (queue.size() > MOST_QUEUED) queue.removeFirst();
        next.put(QUEUE, queue);
        return next;
    }

    /// What was queued meanwhile stays queued.
    private static Map<String, Object> done(
            Map<String, Object> state, Map<String, String> wanted, long generation, int replayed) {
        var next = new LinkedHashMap<>(state);
        next.put(SYNCED, Map.of("digests", wanted, "generation", generation));
        var queue = new ArrayList<Object>(state.get(QUEUE) instanceof List<?> list ? list : List.of());
        queue.subList(0, Math.min(replayed, queue.size())).clear();
        if (queue.isEmpty()) next.remove(QUEUE);
        else next.put(QUEUE, queue);
        return next;
    }
}
