package hermit.backend.docker;

import hermit.backend.keeper.KeeperProgram;
import hermit.backend.keeper.KeeperPrograms;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The keeper that fits the engine.
final class Keepers {
    private final Engine engine;
    private final KeeperPrograms programs;
    private final Map<String, KeeperProgram> byArchitecture = new ConcurrentHashMap<>();

    Keepers(Engine engine, KeeperPrograms programs) {
        this.engine = engine;
        this.programs = programs;
    }

    KeeperProgram program() throws InterruptedException {
        return byArchitecture.computeIfAbsent(
                engine.version().architecture(), architecture -> KeeperProgram.of(programs, architecture));
    }
}
