package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;
import hermit.cli.Launcher.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// What the launcher runs once after a build: a gateway in a folder of its own starts, is called, and stops, while
/// both programs write down which classes they needed. Later starts read them from these caches instead of loading
/// them anew.
@Command(name = "rehearse", hidden = true)
final class Rehearsal implements Callable<Integer> {
    /// Tells the launcher to write a cache here, instead of reading one.
    private static final String CACHE_OUTPUT = "HERMIT_AOT_OUTPUT";

    /// A JVM that has written a cache ends only when the cache is assembled; that takes 10 s, or minutes on a busy
    /// machine.
    private static final Duration ASSEMBLY = Duration.ofMinutes(10);

    private static final String AGENT = "rehearsal";

    /// The usual commands, and the usual mistakes. Nothing here needs Docker.
    private static final List<List<String>> CALLS = List.of(
            List.of("--help"),
            List.of("agents", "create", AGENT, "--no-sandbox"),
            List.of("agents", "list"),
            List.of("agents", "list", "--json"),
            List.of("agents", "show", AGENT),
            List.of("sandbox", "exec", "--agent", AGENT, "--", "true"),
            List.of("sandbox", "add", "--agent", AGENT, "--type", "docker", "--config", "{\"image\":\"ubuntu:24.04\"}"),
            List.of("sandbox", "list", "--agent", AGENT),
            List.of("sandbox", "list", "--agent", AGENT, "--json"),
            List.of("sandbox", "ps", "--agent", AGENT),
            List.of("sandbox", "remove", "--agent", AGENT, "default"),
            List.of("chat", "--agent", AGENT),
            List.of("presets", "list"),
            List.of("gateway", "status"),
            List.of("agents", "nonsense"),
            List.of("agents", "delete", AGENT));

    private final CliContext cli;

    @Option(names = "--caches", description = "Folder to put the caches in.")
    private Path caches = Path.of(".");

    @Option(names = "--calls", description = "Only make the calls, in this process.")
    private boolean callsOnly;

    Rehearsal(CliContext cli) {
        this.cli = cli;
    }

    @Override
    public Integer call() throws Exception {
        if (callsOnly) {
            for (List<String> call : CALLS)
                new Cli(call.getFirst().equals("chat") ? talking() : silent()).run(call.toArray(String[]::new));
            cli.output().result(JsonTree.object().put("calls", CALLS.size()), "Made %d calls".formatted(CALLS.size()));
            return ExitCode.OK;
        }
        Path home = Files.createTempDirectory("hermit-rehearsal-");
        try {
            rehearse(home);
        } finally {
            Settings.deleteTree(home);
        }
        cli.output().result(JsonTree.object().put("caches", caches.toString()), "Wrote the caches to " + caches);
        return ExitCode.OK;
    }

    private void rehearse(Path home) throws CliFailure, IOException, InterruptedException {
        ObjectNode config = JsonTree.object();
        config.putObject("server").put("port", freePort());
        Files.writeString(home.resolve("gateway.json"), JsonTree.write(config));
        var first = new Gateways(new CliContext(silent(home), cli.output()));
        var gateways = new Gateways(new CliContext(silent(home, "gateway.aot"), cli.output()));
        try {
            // Makes what all later starts find. It is those that are rehearsed.
            first.start();
            first.stop();
            gateways.start();
        } finally {
            // Also against nothing: the command line's own cache is of use whether or not a gateway starts here.
            Outcome calls = Launcher.of(silent(home, "cli.aot")).run(Map.of(), "rehearse", "--calls");
            if (calls.exitCode() != 0)
                cli.output().note("The rehearsal's calls ended with " + calls.exitCode() + ": " + calls.err());
            gateways.stop(ASSEMBLY);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Surroundings silent(Path home, String cache) {
        var env = new HashMap<>(silent(home).env());
        env.put(CACHE_OUTPUT, caches.resolve(cache).toString());
        return silent(env);
    }

    private Surroundings silent(Path home) {
        var env = new HashMap<>(cli.surroundings().env());
        env.keySet().removeAll(List.of("HERMIT_URL", "HERMIT_TOKEN", "HERMIT_ADMIN_TOKEN", "DATABASE_URL"));
        env.put("HERMIT_HOME", home.toString());
        return silent(env);
    }

    private Surroundings silent() {
        return silent(cli.surroundings().env());
    }

    private Surroundings silent(Map<String, String> env) {
        return surroundings(env, InputStream.nullInputStream(), LocalTerminals.NONE);
    }

    /// At a terminal of the usual kind, where somebody leaves as soon as they are asked.
    private Surroundings talking() {
        var env = new HashMap<>(cli.surroundings().env());
        env.put("TERM", "xterm-256color");
        var keys = new ByteArrayInputStream("/quit\r".getBytes(StandardCharsets.US_ASCII));
        return surroundings(env, keys, () -> new RehearsedTerminal(keys));
    }

    private Surroundings surroundings(Map<String, String> env, InputStream in, LocalTerminals terminals) {
        return new Surroundings(
                env,
                in,
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                false,
                false,
                cli.surroundings().interrupts(),
                cli.surroundings().pause(),
                terminals,
                SecretPrompt.NONE);
    }

    private record RehearsedTerminal(InputStream keys) implements LocalTerminal {
        @Override
        public Size size() {
            return new Size(80, 24);
        }

        @Override
        public void onResize(Runnable action) {}

        @Override
        public void makeRaw() {}

        @Override
        public void close() {}
    }
}
