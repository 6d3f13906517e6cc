package hermit.backend.docker;

import com.github.dockerjava.api.command.InspectVolumeResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.NotFoundException;
import hermit.backend.keeper.KeeperProgram;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/// What the keepers of other versions than this gateway's have left on the engine: an image and a volume each. All
/// gateways on an engine share them, so one may belong to a gateway that is older or newer; it then makes again what it
/// misses.
final class OldKeepers {
    private final Engine engine;
    private final Images images;
    private final Keepers keepers;

    OldKeepers(Engine engine, Images images, Keepers keepers) {
        this.engine = engine;
        this.images = images;
        this.keepers = keepers;
    }

    /// Short digests of those that are there. Only what has both our label and the name that goes with it counts.
    Set<String> there() throws InterruptedException {
        var found = new HashSet<String>();
        collect(found, images.labelled(Labels.KEEPER), KeeperImage::name);
        collect(found, volumes(), KeeperVolume::name);
        found.remove(keepers.program().shortDigest());
        return found;
    }

    /// Removes image and volume, but nothing that a container uses, whether it runs or not.
    void remove(String shortDigest) {
        removeVolume(KeeperVolume.name(shortDigest));
        images.removeUnused(KeeperImage.name(shortDigest));
    }

    private static void collect(Set<String> found, Map<String, String> labels, UnaryOperator<String> name) {
        labels.forEach((thing, digest) -> {
            if (!digest.matches("[0-9a-f]{64}")) return;
            String shortDigest = KeeperProgram.shortened(digest);
            if (thing.equals(name.apply(shortDigest))) found.add(shortDigest);
        });
    }

    private Map<String, String> volumes() throws InterruptedException {
        return engine.look("list the keepers' volumes", client -> {
            List<InspectVolumeResponse> listed = client.listVolumesCmd()
                    .withFilter("label", List.of(Labels.KEEPER))
                    .exec()
                    .getVolumes();
            return Objects.requireNonNullElse(listed, List.<InspectVolumeResponse>of()).stream()
                    .collect(Collectors.toMap(
                            InspectVolumeResponse::getName,
                            each -> each.getLabels().get(Labels.KEEPER)));
        });
    }

    private void removeVolume(String name) {
        engine.act("remove volume " + name, client -> {
            try {
                client.removeVolumeCmd(name).exec();
            } catch (NotFoundException | ConflictException _) {
                // Gone already, or needed by somebody.
            }
        });
    }
}
