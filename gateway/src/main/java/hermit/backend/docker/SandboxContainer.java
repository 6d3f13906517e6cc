package hermit.backend.docker;

import hermit.backend.docker.FoundContainer.State;
import hermit.backend.docker.Workspaces.Workspace;
import hermit.exec.DockerConfig;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.ProblemCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The container of one row: brings it to what the row wants, from whatever it finds.
final class SandboxContainer {
    private static final String RESUMED = "the sandbox was paused and has been resumed";
    private static final String STARTED =
            "the sandbox had been stopped and was started again; workspace files are kept";
    private static final String UNANSWERED =
            "the sandbox did not answer and was started again; workspace files are kept";

    private final Docker docker;
    private final MachineSpec spec;
    private final DockerConfig config;
    private final String name;

    SandboxContainer(Docker docker, MachineSpec spec, DockerConfig config) {
        this.docker = docker;
        this.spec = spec;
        this.config = config;
        this.name = ContainerName.of(spec);
    }

    /// What is known of the row's machine before it is looked for.
    ///
    /// - `generation`: the highest that was ever seen.
    /// - `existed`: there has been one, so that a new one is worth a note.
    /// - `thoughtUp`: it was up when last seen, and nobody here shut it down.
    record Known(long generation, boolean existed, boolean thoughtUp) {}

    /// A container that runs and whose keeper answers.
    record Up(FoundContainer container, long generation, List<String> notes) {}

    /// Sees that the keeper of a running container answers; throws [NoKeeper] if it does not.
    @FunctionalInterface
    interface Greeting {
        void of(FoundContainer container) throws InterruptedException;
    }

    String name() {
        return name;
    }

    /// The container with our name, ours or not; else the row's own under another name that somebody gave it.
    Optional<FoundContainer> find() throws InterruptedException {
        return docker.containers().find(name);
    }

    boolean own(FoundContainer container) {
        return Labels.own(container.labels(), docker.settings().instanceId(), spec);
    }

    /// Brings the container up. A failure leaves behind nothing that was made here.
    Up bringUp(Known known, Progress progress, Greeting greeting) throws InterruptedException {
        return bringUp(known, progress, greeting, true);
    }

    private Up bringUp(Known known, Progress progress, Greeting greeting, boolean onceMore)
            throws InterruptedException {
        var keeper = docker.keepers().program();
        var plan = ContainerPlan.of(config, docker.settings(), docker.engine().facts(), keeper);
        var found = find();
        if (found.isEmpty() && known.existed()) found = renamedBack();
        var drift = Drift.of(found, found.filter(this::own).isPresent(), plan.hash(), known.thoughtUp());
        return switch (drift) {
            case Drift.Foreign(var container) ->
                throw new Conflict(
                        ProblemCode.NAME_TAKEN,
                        "a container named %s exists and is not this sandbox's (id %.12s): remove or rename it"
                                .formatted(name, container.id()));
            case Drift.Absent _ -> create(plan, prepare(plan, progress), known, "", greeting);
            case Drift.None(var container) -> {
                try {
                    yield adopt(container, greeting, List.of());
                } catch (NoKeeper e) {
                    // Paused, stopped or removed since we looked: so look again.
                    if (e.running() || !onceMore) throw e;
                    yield bringUp(known, progress, greeting, false);
                }
            }
            case Drift.Paused(var container) -> {
                docker.containers().unpause(container.id(), name);
                yield adopt(container, greeting, List.of(RESUMED));
            }
            case Drift.Stopped(var container, var unexpected) -> {
                Optional<Up> up =
                        startAgain(plan, container, known, unexpected ? List.of(STARTED) : List.of(), greeting);
                yield up.isPresent()
                        ? up.get()
                        : replace(
                                plan,
                                container,
                                known,
                                " (the old one could not be started again)",
                                progress,
                                greeting);
            }
            case Drift.Unfit(var container, var why) -> replace(plan, container, known, why, progress, greeting);
        };
    }

    /// Somebody may have renamed it; a second container with the same workspace would be the wrong answer to that.
    private Optional<FoundContainer> renamedBack() throws InterruptedException {
        var labels = Map.of(
                Labels.INSTANCE, docker.settings().instanceId().toString(),
                Labels.SANDBOX, spec.sandboxId().toString());
        for (var each : docker.containers().labelled(labels)) {
            if (!own(each)) continue;
            docker.containers().rename(each.id(), each.name(), name);
            return find();
        }
        return Optional.empty();
    }

    private Up adopt(FoundContainer container, Greeting greeting, List<String> notes) throws InterruptedException {
        try {
            greeting.of(container);
            return up(container, notes);
        } catch (NoKeeper e) {
            if (!e.running()) throw e;
            // Root in the sandbox can break the way to its keeper. Its files outlive another start.
            docker.containers().stop(container.id(), name);
            start(container.id());
            greeting.of(container);
            var all = new ArrayList<>(notes);
            all.add(UNANSWERED);
            return up(container, all);
        }
    }

    private Up up(FoundContainer container, List<String> notes) {
        return new Up(container, Labels.generation(container.labels()), notes);
    }

    /// Empty if it cannot be started any more.
    private Optional<Up> startAgain(
            ContainerPlan plan, FoundContainer container, Known known, List<String> notes, Greeting greeting)
            throws InterruptedException {
        var workspace = docker.workspaces().provide(spec.agentUid()); // its mount is checked before each start
        try {
            // Never started: the gateway died in the middle of an ensure, perhaps before this.
            if (container.state() == State.CREATED) settle(plan, container.id(), workspace);
            start(container.id());
            greeting.of(container);
            return Optional.of(up(container, notes));
        } catch (BackendUnavailable e) {
            throw e;
        } catch (GatewayException | NoKeeper e) {
            if (known.existed()) return Optional.empty();
            abandon(container.id(), e);
            throw e;
        }
    }

    private Up replace(
            ContainerPlan plan, FoundContainer old, Known known, String why, Progress progress, Greeting greeting)
            throws InterruptedException {
        var prepared = prepare(plan, progress); // while the old one is still there: it may fail
        docker.containers().remove(old.id(), name);
        docker.containers().awaitRemoved(old.id());
        long generation = Math.max(known.generation(), Labels.generation(old.labels()));
        return create(plan, prepared, new Known(generation, known.existed(), false), why, greeting);
    }

    /// What a container needs before it is made.
    private record Prepared(String networkMode, String keeperVolume, Workspace workspace) {}

    private Prepared prepare(ContainerPlan plan, Progress progress) throws InterruptedException {
        docker.images().provide(plan.image(), docker.settings().pullPolicy(), progress);
        return new Prepared(
                docker.networks().provide(plan.network()),
                docker.keeperVolume().provide(plan.keeper()),
                docker.workspaces().provide(spec.agentUid()));
    }

    private Up create(ContainerPlan plan, Prepared prepared, Known known, String why, Greeting greeting)
            throws InterruptedException {
        long generation = known.generation() + 1;
        var labels = Labels.ofContainer(docker.settings().instanceId(), spec, generation, plan.hash(), plan.username());
        var mounts = List.of(
                docker.workspaces().mount(prepared.workspace(), plan.agentHome()),
                KeeperVolume.mount(prepared.keeperVolume()));
        String id = docker.containers()
                .create(plan.image(), name, form -> plan.form(form, labels, prepared.networkMode(), mounts))
                .orElseThrow(() -> new Conflict(
                        ProblemCode.NAME_TAKEN,
                        "a container named %s was made by somebody else just now".formatted(name)));
        try {
            settle(plan, id, prepared.workspace());
            start(id);
            var container = find().orElseThrow(() -> new Conflict("container %s was removed at once".formatted(name)));
            greeting.of(container);
            return up(container, known.existed() ? List.of(anew(why)) : List.of());
        } catch (InterruptedException | RuntimeException | Error e) {
            abandon(id, e);
            throw e;
        }
    }

    /// Checks the user and gives the workspace to it.
    private void settle(ContainerPlan plan, String id, Workspace workspace) throws InterruptedException {
        var user = isRoot(plan.username())
                ? ImageUser.ROOT
                : ImageUser.of(
                        plan.username(), docker.archives().read(id, "/etc/passwd", ImageUser.LONGEST), plan.image());
        boolean shared = user.uid() != 0 && hasOtherUsers(plan.username());
        docker.workspaces().own(plan.keeper(), workspace, user, shared);
        // The other sandbox may have been made meanwhile, and have shared what is now ours alone.
        if (!shared && user.uid() != 0 && hasOtherUsers(plan.username()))
            docker.workspaces().own(plan.keeper(), workspace, user, true);
    }

    /// Whether the agent has a sandbox whose user is neither root, which may write everywhere, nor this one. The other
    /// sandbox asks the same once its container is made, so it does not matter which is first.
    private boolean hasOtherUsers(String username) throws InterruptedException {
        var labels = Map.of(
                Labels.INSTANCE, docker.settings().instanceId().toString(),
                Labels.AGENT, spec.agentUid().toString());
        return docker.containers().labelled(labels).stream()
                .filter(each -> !Labels.sandbox(each.labels()).equals(Optional.of(spec.sandboxId())))
                .flatMap(each -> Optional.ofNullable(each.labels().get(Labels.USER)).stream())
                .anyMatch(user -> !user.equals(username) && !isRoot(user) && !user.startsWith("0:"));
    }

    private static boolean isRoot(String username) {
        return username.equals("root") || username.equals("0");
    }

    private void start(String id) throws InterruptedException {
        try {
            docker.containers().start(id, name);
        } catch (BackendUnavailable e) {
            throw e;
        } catch (GatewayException e) {
            if (!e.detail().contains(KeeperVolume.DIRECTORY)) throw e;
            // The volume was removed, or emptied, since this process looked at it.
            docker.keeperVolume().doubt();
            docker.keeperVolume().provide(docker.keepers().program());
            docker.containers().start(id, name);
        }
    }

    private static String anew(String why) {
        return "the sandbox had to be created anew%s; workspace files are kept".formatted(why);
    }

    /// Removes what was made. A failure of that is told with the reason, not in place of it.
    private void abandon(String id, Throwable why) {
        try {
            docker.containers().remove(id, name);
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        }
    }
}
