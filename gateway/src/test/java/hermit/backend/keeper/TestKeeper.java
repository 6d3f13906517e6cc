package hermit.backend.keeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// The keeper as the build makes it.
public final class TestKeeper {
    public static final KeeperPrograms PROGRAMS = TestKeeper::read;

    private TestKeeper() {}

    private static Optional<byte[]> read(String architecture) {
        var file = Path.of("..", "guest", "build", "keeper-" + architecture);
        try {
            return Optional.of(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new AssertionError("These tests need the keeper: run 'make -C guest' first", e);
        }
    }
}
