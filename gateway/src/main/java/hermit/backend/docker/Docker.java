package hermit.backend.docker;

import hermit.backend.keeper.Scheduler;

/// All that works on one engine, put together once.
record Docker(
        DockerSettings settings,
        Engine engine,
        Containers containers,
        Archives archives,
        Images images,
        Networks networks,
        Keepers keepers,
        KeeperVolume keeperVolume,
        OldKeepers oldKeepers,
        Workspaces workspaces,
        ContainerWatch watch)
        implements AutoCloseable {

    static Docker of(DockerSettings settings, Scheduler scheduler) {
        var engine = new Engine(settings);
        var containers = new Containers(engine);
        var archives = new Archives(engine);
        var images = new Images(engine, scheduler);
        var keepers = new Keepers(engine, settings.keeper());
        var helpers = new Helpers(containers, images, settings);
        var ownership = new Ownership(helpers, archives);
        return new Docker(
                settings,
                engine,
                containers,
                archives,
                images,
                new Networks(engine, settings, scheduler),
                keepers,
                new KeeperVolume(engine, helpers, archives),
                new OldKeepers(engine, images, keepers),
                settings.local()
                        ? new LocalWorkspaces(settings.workspaceRoot(), engine, helpers, ownership, keepers)
                        : new VolumeWorkspaces(engine, ownership, settings.instanceId()),
                new ContainerWatch(engine, settings.instanceId(), scheduler));
    }

    @Override
    public void close() {
        watch.close();
        engine.close();
    }
}
