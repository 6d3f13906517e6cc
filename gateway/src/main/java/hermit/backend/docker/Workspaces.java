package hermit.backend.docker;

import com.github.dockerjava.api.model.Mount;
import java.util.Set;
import java.util.UUID;

/// Where the files of agents are kept: one place for each, shared by all its sandboxes, which outlives every container.
interface Workspaces {
    /// What to mount at the agent home of an agent's sandbox; made if it is not there.
    Workspace provide(UUID agent) throws InterruptedException;

    /// Sees to it that the sandbox's user may write to a workspace: it belongs to that user. If it is `shared`,
    /// because the agent has a sandbox with another ordinary user as well, everybody in it may add files, and
    /// nobody but their owner remove them, as in `/tmp`.
    void own(KeeperProgram keeper, Workspace workspace, ImageUser user, boolean shared) throws InterruptedException;

    /// Removes an agent's workspace, whoever its files belong to, without following a link out of it. Fine if there is
    /// none.
    void remove(UUID agent) throws InterruptedException;

    /// The agents that have one.
    Set<UUID> agents() throws InterruptedException;

    /// - `source`: a real path, or a volume's name.
    /// - `fresh`: it was made just now, and belongs to nobody yet.
    record Workspace(UUID agent, String source, boolean fresh) {}

    /// How to mount one at this path.
    Mount mount(Workspace workspace, String target);
}
