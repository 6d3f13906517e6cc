package hermit.backend.keeper;

import hermit.exec.MachineGone;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;

/// The real keeper, run on this host as `keeper init` with a socket in a directory of its own. Each bridge is a
/// `keeper bridge` process, as it is in a container.
final class NativeKeeper implements AutoCloseable {
    private final Path directory;
    private final Path socket;
    private final AtomicReference<Process> lastBridge = new AtomicReference<>();
    private Process init;

    NativeKeeper() throws IOException {
        directory = Files.createTempDirectory("keeper");
        socket = directory.resolve("s/keeper.sock");
        init = startInit();
    }

    /// The program that `make -C guest` builds.
    static Path program() {
        String arch = switch (System.getProperty("os.arch").toLowerCase(Locale.ROOT)) {
            case "aarch64" -> "arm64";
            default -> "amd64";
        };
        Path program = Path.of("../guest/build/keeper-" + arch).toAbsolutePath().normalize();
        if (!Files.isExecutable(program))
            throw new AssertionError("there is no %s: run make -C guest".formatted(program));
        return program;
    }

    Path directory() {
        return directory;
    }

    Bridge open() throws MachineGone, IOException {
        if (!init.isAlive()) throw new MachineGone("the keeper does not run");
        var process =
                process("bridge").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lastBridge.set(process);
        return new ProcessBridge(process);
    }

    /// Breaks the connection in the way that a dying bridge does.
    void killBridge() {
        lastBridge.get().destroyForcibly();
    }

    /// Ends the keeper and all of its commands, and starts another.
    void restart() throws IOException {
        kill();
        init = startInit();
    }

    void kill() {
        init.destroy(); // TERM: the keeper takes its commands along
        init.onExit().join();
    }

    @Override
    public void close() throws IOException {
        kill();
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) Files.delete(file);
        }
    }

    private Process startInit() throws IOException {
        Files.deleteIfExists(socket);
        var process =
                process("init").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        while (!Files.exists(socket)) {
            if (!process.isAlive()) throw new AssertionError("keeper init ended with " + process.exitValue());
            Thread.onSpinWait();
        }
        return process;
    }

    private ProcessBuilder process(String mode) {
        var builder = new ProcessBuilder(program().toString(), mode);
        builder.environment().put("HERMIT_KEEPER_SOCKET", socket.toString());
        return builder;
    }

    private record ProcessBridge(Process process) implements Bridge {
        @Override
        public InputStream in() {
            return process.getInputStream();
        }

        @Override
        public OutputStream out() {
            return process.getOutputStream();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
