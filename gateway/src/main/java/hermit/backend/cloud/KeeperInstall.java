package hermit.backend.cloud;

import hermit.backend.keeper.Bridge;
import hermit.backend.keeper.KeeperProgram;
import hermit.backend.keeper.KeeperPrograms;
import hermit.backend.keeper.LoginEnvironment;
import hermit.exec.MachineGone;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Brings the keeper into one machine, and sees that it runs there. In a machine that has it already this is one call.
///
/// The program's name holds its digest: a gateway of another version brings its own, and speaks to the keeper that
/// runs, whichever of them started it.
final class KeeperInstall {
    /// For a program that does next to nothing; a machine that has just been resumed may be slow.
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// What a shell says of a program that is not there, or cannot be run.
    private static final int NOT_EXECUTABLE = 126;

    private static final int NOT_FOUND = 127;

    private final Guest guest;
    private final KeeperPrograms programs;
    private final String user;
    private final String home;
    private volatile Optional<String> program = Optional.empty();

    /// `user`, `home`: whose home is made if it is not there.
    KeeperInstall(Guest guest, KeeperPrograms programs, String user, String home) {
        this.guest = guest;
        this.programs = programs;
        this.user = user;
        this.home = home;
    }

    /// The environment of the provider's own exec, which is what the image defines.
    Map<String, String> start() throws IOException, MachineGone, InterruptedException {
        if (program.isEmpty()) program = Optional.of(path(program(architecture())));
        var ran = daemon();
        if (ran.exitCode() == NOT_FOUND || ran.exitCode() == NOT_EXECUTABLE) {
            bring(program(architecture()));
            ran = daemon();
        }
        if (ran.exitCode() != 0)
            throw new ProviderError("the keeper did not start in the sandbox: " + firstLine(ran.output()));
        return environment(ran.output());
    }

    /// The keeper's program in the machine. Only after [#start].
    String program() {
        return program.orElseThrow(() -> new IllegalStateException("the keeper has not been started"));
    }

    /// A new stream to the keeper.
    Bridge bridge() throws IOException, MachineGone, InterruptedException {
        var argv = new ArrayList<>(List.of(program(), "bridge"));
        if (guest.lodging().terminalOnly()) argv.add("--terminal");
        argv.addAll(List.of("--socket", guest.lodging().socket()));
        return guest.open(argv);
    }

    private Guest.Ran daemon() throws IOException, MachineGone, InterruptedException {
        return guest.run(
                List.of(
                        program(),
                        "daemon",
                        "--print-env",
                        "--socket",
                        guest.lodging().socket()),
                PATIENCE);
    }

    /// Twice is once: the file is there whole or not at all.
    private void bring(KeeperProgram keeper) throws IOException, MachineGone, InterruptedException {
        var lodging = guest.lodging();
        String uploaded = lodging.uploads() + "/keeper-" + keeper.shortDigest() + ".new";
        // Only root can make a home for somebody else; where it is there already nothing is changed.
        shell(
                "umask 022; mkdir -p \"$1\" \"$2\" && { [ -d \"$3\" ] || { mkdir -p \"$3\" && chown \"$4\" \"$3\"; }; }",
                lodging.program(),
                lodging.uploads(),
                home,
                user);
        guest.upload(uploaded, keeper.bytes());
        shell("chmod 755 \"$1\" && mv -f \"$1\" \"$2\"", uploaded, path(keeper));
    }

    private void shell(String script, String... arguments) throws IOException, MachineGone, InterruptedException {
        var argv = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        argv.addAll(List.of(arguments));
        var ran = guest.run(argv, PATIENCE);
        if (ran.exitCode() != 0)
            throw new ProviderError("bring the keeper into the sandbox: " + firstLine(ran.output()));
    }

    private String architecture() throws IOException, MachineGone, InterruptedException {
        var ran = guest.run(List.of("uname", "-m"), PATIENCE);
        return switch (ran.output().strip().toLowerCase(Locale.ROOT)) {
            case "x86_64", "amd64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default ->
                throw new ProviderError("the sandbox does not say what machine it is: " + firstLine(ran.output()));
        };
    }

    private KeeperProgram program(String architecture) {
        return KeeperProgram.of(programs, architecture);
    }

    private String path(KeeperProgram keeper) {
        return guest.lodging().program() + "/keeper-" + keeper.shortDigest();
    }

    private static Map<String, String> environment(String printed) {
        var env = new HashMap<>(LoginEnvironment.parse(printed.getBytes(StandardCharsets.UTF_8), Map.of())
                .orElse(Map.of()));
        env.keySet().removeIf(name -> name.startsWith("HERMIT_KEEPER_"));
        return env;
    }

    private static String firstLine(String output) {
        String line = output.lines().findFirst().orElse("it said nothing");
        return line.length() > 200 ? line.substring(0, 200) : line;
    }
}
