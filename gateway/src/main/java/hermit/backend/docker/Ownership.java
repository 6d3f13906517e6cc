package hermit.backend.docker;

import com.github.dockerjava.api.model.Mount;
import java.util.List;

/// Gives a workspace to a user. The engine does it, with its own mapping of user ids (user namespaces, rootless), which
/// the gateway does not know; and the gateway need not be root.
final class Ownership {
    private static final String PARENT = "/workspace";
    private static final String NAME = "home";
    /// Where the workspace must be mounted for [#give].
    static final String TARGET = PARENT + "/" + NAME;
    /// As a home directory that `useradd` makes: other users of the image may look.
    private static final int OWN = 0755;
    /// As `/tmp`.
    static final int SHARED = 01777;

    private final Helpers helpers;
    private final Archives archives;

    Ownership(Helpers helpers, Archives archives) {
        this.helpers = helpers;
        this.archives = archives;
    }

    /// Unpacks an archive that has an entry for the mounted directory itself: that sets its owner and mode.
    void give(KeeperProgram keeper, Mount workspace, ImageUser user, boolean shared) throws InterruptedException {
        helpers.with(keeper, "workspace-owner", List.of(workspace), container -> {
            archives.write(container, PARENT, Tar.directory(NAME, user, shared ? SHARED : OWN));
            return true;
        });
    }
}
