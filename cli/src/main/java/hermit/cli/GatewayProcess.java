package hermit.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The gateway that `gateway start` has put into the background. Its pid file has two lines: the process id, and
/// when that process began (milliseconds), because ids are used again.
record GatewayProcess(HermitHome home) {
    /// What the gateway itself grants its open requests (10 s), and then some.
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final long LOG_ROTATED_AT = 10 << 20;

    /// The running one, if there is.
    Optional<ProcessHandle> running() throws CliFailure {
        if (!Files.exists(home.pidFile())) return Optional.empty();
        try {
            List<String> lines = Files.readAllLines(home.pidFile());
            if (lines.size() < 2) return Optional.empty();
            var began = Long.parseLong(lines.get(1).strip());
            return ProcessHandle.of(Long.parseLong(lines.get(0).strip()))
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> began(process) == began);
        } catch (NumberFormatException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw CliFailure.local("pid_file", "read %s: %s".formatted(home.pidFile(), e.getMessage()));
        }
    }

    /// Starts `command` with its output in the log. What it has printed since is everything in the log after
    /// `logFrom`.
    record Started(Process process, long logFrom) {}

    Started start(ProcessBuilder command) throws CliFailure {
        Path log = home.log();
        try {
            var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
            Files.createDirectories(home.root(), ownerOnly);
            Files.createDirectories(log.getParent(), ownerOnly);
            if (Files.exists(log) && Files.size(log) > LOG_ROTATED_AT)
                Files.move(log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
            if (!Files.exists(log))
                Files.createFile(
                        log, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            long logFrom = Files.size(log);
            Process process = command.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .start();
            Files.writeString(home.pidFile(), "%d\n%d\n".formatted(process.pid(), began(process.toHandle())));
            return new Started(process, logFrom);
        } catch (IOException e) {
            throw CliFailure.local("start", "start the gateway in %s: %s".formatted(home.root(), e.getMessage()));
        }
    }

    /// What the gateway has said since it was started.
    String said(Started started) throws CliFailure {
        try (var log = Files.newInputStream(home.log())) {
            log.skipNBytes(started.logFrom());
            return new String(log.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw CliFailure.local("log", "read %s: %s".formatted(home.log(), e.getMessage()));
        }
    }

    /// Asks it to end, and waits until it has.
    void stop(ProcessHandle process, Duration patience) throws CliFailure, InterruptedException {
        CompletableFuture<ProcessHandle> ended = process.onExit();
        process.destroy();
        try {
            ended.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw CliFailure.local(
                    "stop",
                    "The gateway (process %d) has not ended %d s after it was asked to; see %s"
                            .formatted(process.pid(), patience.toSeconds(), home.log()));
        }
        forget();
    }

    /// Removes the pid file of a process that is no more.
    void forget() throws CliFailure {
        try {
            Files.deleteIfExists(home.pidFile());
        } catch (IOException e) {
            throw CliFailure.local("pid_file", "remove %s: %s".formatted(home.pidFile(), e.getMessage()));
        }
    }

    private static long began(ProcessHandle process) {
        return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }
}
