package hermit.backend.docker;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.InternalServerErrorException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.Frame;
import com.github.dockerjava.api.model.WaitContainerCondition;
import com.github.dockerjava.api.model.WaitResponse;
import hermit.backend.docker.FoundContainer.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// The engine's calls for containers. Always by exact name or id, or by our labels: what else lies on
/// the engine, and how much, is none of our business.
final class Containers {
    /// Between TERM and KILL of a stop. The keeper ends at once, so this is only reached when the machine is
    /// overloaded.
    private static final int STOP_SECONDS = 5;

    /// Of a log that goes into a message: lines, and characters.
    private static final int LOG_LINES = 5;

    private static final int MOST_LOG = 2_000;

    private final Engine engine;

    Containers(Engine engine) {
        this.engine = engine;
    }

    /// Finds a container by its name or id.
    Optional<FoundContainer> find(String nameOrId) throws InterruptedException {
        return engine.look("look for container " + nameOrId, client -> {
            try {
                return Optional.of(read(client.inspectContainerCmd(nameOrId).exec()));
            } catch (NotFoundException _) {
                return Optional.empty();
            }
        });
    }

    /// All containers that carry these labels, running or not.
    List<FoundContainer> labelled(Map<String, String> labels) throws InterruptedException {
        return engine.look(
                "list containers",
                client -> client.listContainersCmd().withShowAll(true).withLabelFilter(labels).exec().stream()
                        .map(Containers::read)
                        .toList());
    }

    /// Makes a container and returns its id; empty if another one has the name.
    Optional<String> create(String image, String name, UnaryOperator<CreateContainerCmd> form) {
        return engine.change("create container %s from image %s".formatted(name, image), client -> {
            try {
                return Optional.of(form.apply(client.createContainerCmd(image).withName(name))
                        .exec()
                        .getId());
            } catch (ConflictException e) {
                if (EngineFailures.message(e).contains("already in use")) return Optional.empty();
                throw e;
            }
        });
    }

    /// Starts a container; nothing happens if it runs.
    void start(String id, String name) {
        engine.act("start container " + name, client -> {
            try {
                client.startContainerCmd(id).exec();
            } catch (NotModifiedException _) {
                // It runs, which is what was wanted.
            }
        });
    }

    /// Lets a paused container go on. False if it was not paused, or is gone.
    boolean unpause(String id, String name) {
        return engine.change("unpause container " + name, client -> {
            try {
                client.unpauseContainerCmd(id).exec();
                return true;
            } catch (NotFoundException _) {
                return false;
            } catch (ConflictException | InternalServerErrorException e) {
                // "Container … is not paused": a conflict in newer engines, an internal error in older ones
                if (EngineFailures.message(e).contains("is not paused")) return false;
                throw e;
            }
        });
    }

    void rename(String id, String from, String to) {
        engine.act(
                "rename container %s back to %s".formatted(from, to),
                client -> client.renameContainerCmd(id).withName(to).exec());
    }

    /// Stops a container with TERM. Nothing happens if it does not run or is not there.
    void stop(String id, String name) {
        engine.act("stop container " + name, client -> {
            try {
                client.stopContainerCmd(id).withTimeout(STOP_SECONDS).exec();
            } catch (NotFoundException | NotModifiedException _) {
                // It does not run, which is what was wanted.
            }
        });
    }

    /// Kills and removes a container with its anonymous volumes. Fine if it is not there.
    void remove(String id, String name) {
        engine.act("remove container " + name, client -> {
            try {
                client.removeContainerCmd(id)
                        .withForce(true)
                        .withRemoveVolumes(true)
                        .exec();
            } catch (NotFoundException _) {
                // It is not there, which is what was wanted.
            } catch (ConflictException e) {
                if (!EngineFailures.message(e).contains("already in progress")) throw e;
            }
        });
    }

    /// Waits until the engine has removed a container that it is already removing.
    void awaitRemoved(String id) throws InterruptedException {
        engine.look("wait until container %s is removed".formatted(id), Engine.CHANGE, client -> {
            try {
                var following = new Following<WaitResponse>(_ -> {});
                client.waitContainerCmd(id)
                        .withCondition(WaitContainerCondition.REMOVED)
                        .exec(following);
                following.await();
            } catch (NotFoundException _) {
                // It is gone.
            }
            return true;
        });
    }

    /// Waits until a container has ended, and returns its exit code.
    int awaitEnd(String id, Duration limit) throws InterruptedException {
        return engine.look("wait for container " + id, limit, client -> {
            var code = new AtomicInteger(-1);
            var following = new Following<WaitResponse>(answer -> code.set(answer.getStatusCode()));
            client.waitContainerCmd(id).exec(following);
            following.await();
            return code.get();
        });
    }

    /// The last lines that a container's first process printed, for a message; bounded. None if it is not there.
    String lastLines(String id) throws InterruptedException {
        return engine.look("read the log of container " + id, client -> {
            var text = new StringBuilder();
            var following = new Following<Frame>(frame -> {
                if (text.length() < MOST_LOG) text.append(new String(frame.getPayload(), StandardCharsets.UTF_8));
            });
            try {
                client.logContainerCmd(id)
                        .withStdOut(true)
                        .withStdErr(true)
                        .withTail(LOG_LINES)
                        .exec(following);
                following.await();
            } catch (NotFoundException _) {
                // It is gone, and its log with it.
            }
            return text.toString().strip().replaceAll("\\R", "; ");
        });
    }

    private static FoundContainer read(InspectContainerResponse answer) {
        var state = answer.getState();
        var config = answer.getConfig();
        return new FoundContainer(
                answer.getId(),
                withoutSlash(String.valueOf(answer.getName())),
                State.of(String.valueOf(state.getStatus())),
                Objects.requireNonNullElse(state.getExitCodeLong(), 0L).intValue(),
                Objects.requireNonNullElse(state.getError(), ""),
                Objects.requireNonNullElse(config.getLabels(), Map.of()),
                environment(Objects.requireNonNullElse(config.getEnv(), new String[0])));
    }

    private static FoundContainer read(Container answer) {
        String[] names = answer.getNames();
        return new FoundContainer(
                answer.getId(),
                names == null || names.length == 0 ? answer.getId() : withoutSlash(names[0]),
                State.of(String.valueOf(answer.getState())),
                0,
                "",
                Objects.requireNonNullElse(answer.getLabels(), Map.of()),
                Map.of());
    }

    private static String withoutSlash(String name) {
        return name.startsWith("/") ? name.substring(1) : name;
    }

    private static Map<String, String> environment(String[] entries) {
        var env = new LinkedHashMap<String, String>();
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals > 0) env.put(entry.substring(0, equals), entry.substring(equals + 1));
        }
        return env;
    }
}
