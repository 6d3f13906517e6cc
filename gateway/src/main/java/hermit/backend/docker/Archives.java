package hermit.backend.docker;

import com.github.dockerjava.api.exception.NotFoundException;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.Optional;

/// The engine's calls that carry files into a container and out of it, whether it runs or not. The
/// engine resolves links within the container.
final class Archives {
    /// Of a chain of links to a file.
    private static final int MOST_LINKS = 8;

    private final Engine engine;

    Archives(Engine engine) {
        this.engine = engine;
    }

    /// The beginning of a file; empty if there is no such file.
    Optional<byte[]> read(String container, String path, int limit) throws InterruptedException {
        String at = path;
        for (int links = 0; links <= MOST_LINKS; links++) {
            var first = first(container, at, limit);
            if (first.isEmpty()) return Optional.empty();
            switch (first.get()) {
                case Tar.First.File(byte[] bytes) -> {
                    return Optional.of(bytes);
                }
                case Tar.First.Link(String target) ->
                    at = Path.of(at).resolveSibling(target).normalize().toString();
                case Tar.First.Other() -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /// Unpacks an archive into a directory of the container.
    void write(String container, String directory, byte[] tar) {
        engine.act(
                "write to %s in container %s".formatted(directory, container),
                client -> client.copyArchiveToContainerCmd(container)
                        .withRemotePath(directory)
                        .withTarInputStream(new ByteArrayInputStream(tar))
                        .exec());
    }

    private Optional<Tar.First> first(String container, String path, int limit) throws InterruptedException {
        return engine.look("read %s from container %s".formatted(path, container), client -> {
            try (var archive =
                    client.copyArchiveFromContainerCmd(container, path).exec()) {
                return Tar.first(archive, limit);
            } catch (NotFoundException _) {
                return Optional.empty();
            }
        });
    }
}
