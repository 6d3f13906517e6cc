package hermit.backend.docker;

import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.VolumeOptions;
import hermit.backend.keeper.KeeperProgram;
import hermit.problem.GatewayException.ProviderError;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// The volume that brings the keeper into sandboxes: one for each version, filled once. It works with every image, a
/// read-only root file system and a remote engine, none of which a bind mount or the archive calls alone would.
final class KeeperVolume {
    static final String DIRECTORY = "/opt/hermit";
    /// The keeper in every sandbox.
    static final String PROGRAM = DIRECTORY + "/keeper";

    private static final String PURPOSE = "keeper-volume";

    private final Engine engine;
    private final Helpers helpers;
    private final Archives archives;
    private final ReentrantLock filling = new ReentrantLock();
    private final Set<String> verified = ConcurrentHashMap.newKeySet();

    KeeperVolume(Engine engine, Helpers helpers, Archives archives) {
        this.engine = engine;
        this.helpers = helpers;
        this.archives = archives;
    }

    /// The volume's name, once it is known to hold the keeper. Looked at when it is first used in this
    /// process: a gateway that died while it filled the volume leaves part of the file, or none.
    String provide(KeeperProgram keeper) throws InterruptedException {
        String name = name(keeper.shortDigest());
        if (verified.contains(name)) return name;
        filling.lockInterruptibly();
        try {
            if (verified.contains(name)) return name;
            engine.act(
                    "make volume " + name,
                    client -> client.createVolumeCmd()
                            .withName(name)
                            .withLabels(Map.of(Labels.KEEPER, keeper.digest()))
                            .exec());
            helpers.with(
                    keeper,
                    PURPOSE,
                    List.of(mount(name, false)),
                    List.of("fs", "move", Helpers.PROGRAM, PROGRAM),
                    container -> fill(container, keeper));
            verified.add(name);
            return name;
        } finally {
            filling.unlock();
        }
    }

    /// Looks again before the next use, because something made from it did not start.
    void doubt() {
        verified.clear();
    }

    /// Mounted where every sandbox has it.
    static Mount mount(String volume) {
        return mount(volume, true);
    }

    /// The volume's name, by the keeper's short digest.
    static String name(String shortDigest) {
        return "hermit-keeper-" + shortDigest;
    }

    /// The helper moves its own program there: a copy under another name, then a rename. The engine's own way
    /// to write a file removes the old one first and writes in place, which another gateway that fills the volume
    /// at the same time, or a sandbox that starts, would see.
    private boolean fill(String container, KeeperProgram keeper) throws InterruptedException {
        if (holds(container, keeper)) return true;
        helpers.run(container, PURPOSE);
        if (!holds(container, keeper))
            throw new ProviderError("the keeper's volume does not hold what was written to it");
        return true;
    }

    private boolean holds(String container, KeeperProgram keeper) throws InterruptedException {
        Optional<byte[]> there = archives.read(container, PROGRAM, keeper.bytes().length + 1);
        return there.filter(bytes -> KeeperProgram.digest(bytes).equals(keeper.digest()))
                .isPresent();
    }

    private static Mount mount(String volume, boolean readOnly) {
        return new Mount()
                .withType(MountType.VOLUME)
                .withSource(volume)
                .withTarget(DIRECTORY)
                .withReadOnly(readOnly)
                .withVolumeOptions(new VolumeOptions().withNoCopy(true));
    }
}
