package hermit.backend.docker;

import com.github.dockerjava.api.model.BindOptions;
import com.github.dockerjava.api.model.BindPropagation;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import hermit.backend.keeper.KeeperProgram;
import hermit.exec.Uuids;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// Workspaces on this machine: a directory for each agent, named by its uid, under a root that only the gateway may
/// enter.
///
/// What lies in a workspace was made by an agent and is never trusted: no link in it or in place of it is followed, and
/// nothing of it is read.
final class LocalWorkspaces implements Workspaces {
    private static final String TARGET = "/workspace";
    /// Of a mode: all but the kind of file.
    private static final long PERMISSIONS = 07777;

    private final Path root;
    private final Engine engine;
    private final Helpers helpers;
    private final Ownership ownership;
    private final Keepers keepers;

    LocalWorkspaces(Path root, Engine engine, Helpers helpers, Ownership ownership, Keepers keepers) {
        this.root = root;
        this.engine = engine;
        this.helpers = helpers;
        this.ownership = ownership;
        this.keepers = keepers;
    }

    @Override
    public Workspace provide(UUID agent) {
        try {
            makeRoot();
            Path directory = root.resolve(agent.toString());
            boolean fresh = make(directory, "rwxr-xr-x");
            return new Workspace(agent, checked(directory).toString(), fresh);
        } catch (IOException e) {
            throw new ProviderError("make the workspace of agent %s: %s".formatted(agent, e), e);
        }
    }

    @Override
    public void own(KeeperProgram keeper, Workspace workspace, ImageUser user, boolean shared)
            throws InterruptedException {
        // Root needs not own it.
        if (!workspace.fresh() && user.uid() == 0) return;
        Path directory = Path.of(workspace.source());
        boolean right = shared
                ? (seen(directory, "unix:mode") & PERMISSIONS) == Ownership.SHARED
                : !engine.facts().mapsUsers() && seen(directory, "unix:uid") == user.uid();
        if (!right) ownership.give(keeper, mount(workspace, Ownership.TARGET), user, shared);
    }

    @Override
    public void remove(UUID agent) throws InterruptedException {
        Path directory = root.resolve(agent.toString());
        try {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.deleteIfExists(directory);
                return;
            }
            Trees.remove(directory);
        } catch (IOException _) {
            // Most likely files of another user; whatever it was, root in a container can do no less, and reports its
            // own.
            removeAsRoot(agent);
        }
    }

    /// The keeper empties it as root, in a container that runs nothing else. It sees nothing but the workspace: to a
    /// root whose user id the engine maps to another, our own directory around it is closed.
    void removeAsRoot(UUID agent) throws InterruptedException {
        Path directory = root.resolve(agent.toString());
        try {
            var workspace = new Workspace(agent, checked(directory).toString(), false);
            helpers.run(
                    keepers.program(),
                    "workspace-removal",
                    List.of(mount(workspace, TARGET)),
                    List.of("fs", "empty", TARGET));
            Files.delete(directory);
        } catch (IOException e) {
            throw new ProviderError("remove the workspace of agent %s: %s".formatted(agent, e), e);
        }
    }

    @Override
    public Set<UUID> agents() {
        var agents = new HashSet<UUID>();
        if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) return agents;
        try (var entries = Files.newDirectoryStream(root)) {
            for (Path entry : entries)
                if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                    Uuids.parse(entry.getFileName().toString()).ifPresent(agents::add);
        } catch (IOException e) {
            throw new ProviderError("list the workspaces in %s: %s".formatted(root, e), e);
        }
        return agents;
    }

    @Override
    public Mount mount(Workspace workspace, String target) {
        // Nothing that is mounted on one side later may appear on the other.
        return new Mount()
                .withType(MountType.BIND)
                .withSource(workspace.source())
                .withTarget(target)
                .withBindOptions(new BindOptions().withPropagation(BindPropagation.R_PRIVATE));
    }

    private void makeRoot() throws IOException {
        if (Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) return;
        Files.createDirectories(root.getParent());
        make(root, "rwx------");
    }

    private static boolean make(Path directory, String mode) throws IOException {
        var permissions = PosixFilePermissions.fromString(mode);
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(permissions));
            Files.setPosixFilePermissions(directory, permissions); // whatever the umask
            return true;
        } catch (FileAlreadyExistsException _) {
            return false;
        }
    }

    /// The directory's real path, which must be where it seems to be. Asked each time that something is
    /// mounted: a link or another file in its place could lead the engine anywhere.
    private Path checked(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS))
            throw new IOException(directory + " is not a directory");
        Path real = directory.toRealPath();
        if (!real.equals(checkedRoot().resolve(directory.getFileName())))
            throw new IOException("%s leads to %s".formatted(directory, real));
        return real;
    }

    private Path checkedRoot() {
        try {
            if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) throw new IOException("it is not a directory");
            if (!Files.getPosixFilePermissions(root, LinkOption.NOFOLLOW_LINKS)
                    .equals(PosixFilePermissions.fromString("rwx------")))
                throw new IOException("others may enter it; its mode must be 0700");
            return root.toRealPath();
        } catch (IOException e) {
            throw new ProviderError(
                    "the workspaces' directory %s cannot be used: %s".formatted(root, e.getMessage()), e);
        }
    }

    /// As it is outside. Where the engine maps user ids, an owner is another one in the container: even one with
    /// the same number, such as the gateway's own user beside a sandbox's.
    private static long seen(Path directory, String attribute) {
        try {
            return ((Number) Files.getAttribute(directory, attribute, LinkOption.NOFOLLOW_LINKS)).longValue();
        } catch (IOException e) {
            throw new ProviderError("look at %s: %s".formatted(directory, e), e);
        }
    }
}
