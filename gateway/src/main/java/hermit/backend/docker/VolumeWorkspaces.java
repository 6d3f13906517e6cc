package hermit.backend.docker;

import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.VolumeOptions;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.ProblemCode;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/// Workspaces on a remote engine: a named volume for each agent.
final class VolumeWorkspaces implements Workspaces {
    private final Engine engine;
    private final Ownership ownership;
    private final UUID instance;

    VolumeWorkspaces(Engine engine, Ownership ownership, UUID instance) {
        this.engine = engine;
        this.ownership = ownership;
        this.instance = instance;
    }

    @Override
    public Workspace provide(UUID agent) throws InterruptedException {
        String name = name(agent);
        boolean there = engine.look("look for volume " + name, client -> {
            try {
                var labels = client.inspectVolumeCmd(name).exec().getLabels();
                if (!labels(agent).equals(Objects.requireNonNullElse(labels, Map.of())))
                    throw new Conflict(
                            ProblemCode.NAME_TAKEN,
                            "a volume named %s exists and is not this gateway's: remove it".formatted(name));
                return true;
            } catch (NotFoundException _) {
                return false;
            }
        });
        if (!there)
            engine.act(
                    "make volume " + name,
                    client -> client.createVolumeCmd()
                            .withName(name)
                            .withLabels(labels(agent))
                            .exec());
        return new Workspace(agent, name, !there);
    }

    @Override
    public void own(KeeperProgram keeper, Workspace workspace, ImageUser user, boolean shared)
            throws InterruptedException {
        // Nobody but the engine sees who owns it. Root needs not own it.
        if (workspace.fresh() || user.uid() != 0)
            ownership.give(keeper, mount(workspace, Ownership.TARGET), user, shared);
    }

    @Override
    public void remove(UUID agent) {
        String name = name(agent);
        engine.act("remove volume " + name, client -> {
            try {
                client.removeVolumeCmd(name).exec();
            } catch (NotFoundException _) {
                // It is not there, which is what was wanted.
            }
        });
    }

    @Override
    public Set<UUID> agents() throws InterruptedException {
        return engine.look(
                "list volumes",
                client -> client
                        .listVolumesCmd()
                        .withFilter("label", List.of(Labels.INSTANCE + "=" + instance))
                        .exec()
                        .getVolumes()
                        .stream()
                        .flatMap(volume -> Labels.agent(volume.getLabels()).stream()
                                .filter(agent -> name(agent).equals(volume.getName())))
                        .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public Mount mount(Workspace workspace, String target) {
        return new Mount()
                .withType(MountType.VOLUME)
                .withSource(workspace.source())
                .withTarget(target)
                .withVolumeOptions(
                        new VolumeOptions().withNoCopy(true)); // the image's own files stay out, as with a directory
    }

    private Map<String, String> labels(UUID agent) {
        return Map.of(Labels.INSTANCE, instance.toString(), Labels.AGENT, agent.toString());
    }

    private static String name(UUID agent) {
        return "hermit-workspace-" + agent;
    }
}
