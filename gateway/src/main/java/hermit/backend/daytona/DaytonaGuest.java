package hermit.backend.daytona;

import com.fasterxml.jackson.databind.ObjectMapper;
import hermit.backend.cloud.CloudMachine;
import hermit.backend.cloud.Guest;
import hermit.backend.keeper.Bridge;
import hermit.exec.DaytonaConfig;
import hermit.exec.MachineGone;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The way into one sandbox, through the daemon in it. Everything runs as the sandbox's own user: no other
/// is to be had.
final class DaytonaGuest implements Guest {
    /// Of the answer, beyond the program's own time.
    private static final Duration TRANSPORT = Duration.ofSeconds(5);
    /// The keeper has 150 KB.
    private static final Duration UPLOAD = Duration.ofMinutes(2);

    private static final int LONGEST_OUTPUT = 64 << 10;
    /// Of a unix socket's address, its end included.
    private static final int LONGEST_SOCKET = 108;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Api api;
    private final Sandboxes sandboxes;
    private final CloudMachine machine;
    private final Lodging lodging;
    private final RandomGenerator random;

    DaytonaGuest(Api api, Sandboxes sandboxes, CloudMachine machine, DaytonaConfig config, RandomGenerator random) {
        this.api = api;
        this.sandboxes = sandboxes;
        this.machine = machine;
        this.lodging = lodging(config.agentHome(), machine.id());
        this.random = random;
    }

    /// All in the home: nothing else is sure to be the user's. The socket has a directory of its own, which
    /// the keeper makes and which is open to nobody else; where its path would be too long, that is in
    /// `/tmp`.
    static Lodging lodging(String home, String id) {
        String program = home.replaceAll("/+$", "") + "/.hermit/keeper";
        String socket = program + "/run/keeper.sock";
        if (socket.getBytes(StandardCharsets.UTF_8).length >= LONGEST_SOCKET)
            socket = "/tmp/.hermit-%08x/keeper.sock".formatted((home + id).hashCode());
        return new Lodging(program, program, socket, true);
    }

    @Override
    public Lodging lodging() {
        return lodging;
    }

    @Override
    public void upload(String path, byte[] content) throws IOException, MachineGone, InterruptedException {
        String boundary = "hermit" + hex();
        var body = new ByteArrayOutputStream();
        body.writeBytes("--%s\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n%s\r\n"
                .formatted(boundary, path)
                .getBytes(StandardCharsets.UTF_8));
        body.writeBytes(
                "--%s\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"file\"\r\n%s\r\n\r\n"
                        .formatted(boundary, "Content-Type: application/octet-stream")
                        .getBytes(StandardCharsets.UTF_8));
        body.writeBytes(content);
        body.writeBytes("\r\n--%s--\r\n".formatted(boundary).getBytes(StandardCharsets.UTF_8));
        var answer = api.post(
                at("/files/bulk-upload"),
                "multipart/form-data; boundary=" + boundary,
                BodyPublishers.ofByteArray(body.toByteArray()),
                UPLOAD,
                Progress.NONE);
        String doing = "upload %s to sandbox %s".formatted(path, machine.id());
        // The daemon's own refusal, with what it wrote before; the proxy's has no such list.
        if (answer.status() == 400 && answer.json().has("errors"))
            throw new IOException("%s: %s"
                    .formatted(doing, Api.line(answer.json().get("errors").toString(), 200)));
        if (!answer.isGood()) throw failed(doing, answer);
        if (answer.json().path("files").path(0).path("bytes").asLong(-1) != content.length)
            throw new IOException(doing + ": not all of it arrived");
        var mode = api.post(
                at("/files/permissions?path=%s&mode=755".formatted(URLEncoder.encode(path, StandardCharsets.UTF_8))));
        if (!mode.isGood()) throw failed("make %s executable in sandbox %s".formatted(path, machine.id()), mode);
    }

    @Override
    public Ran run(List<String> argv, Duration limit) throws IOException, MachineGone, InterruptedException {
        String doing = "run %s in sandbox %s".formatted(argv.getFirst(), machine.id());
        long seconds = Math.max(1, limit.plusMillis(999).toSeconds());
        // Its stdin would be the rest of what the daemon feeds to the shell.
        var body = JSON.createObjectNode()
                .put("command", "exec %s </dev/null".formatted(ShellWords.of(argv)))
                .put("timeout", seconds);
        var answer = api.post(
                at("/process/execute"), body, Duration.ofSeconds(seconds).plus(TRANSPORT), Progress.NONE);
        if (answer.status() == 408) throw new IOException("%s: not done within %d s".formatted(doing, seconds));
        if (!answer.isGood()) throw failed(doing, answer);
        var json = answer.json();
        var code = json.has("exitCode") ? json.get("exitCode") : json.path("code");
        if (!code.isInt()) throw new IOException(doing + ": the answer has no exit code");
        String output = json.path("result").asText("");
        return new Ran(code.asInt(), output.length() > LONGEST_OUTPUT ? output.substring(0, LONGEST_OUTPUT) : output);
    }

    @Override
    public Bridge open(List<String> argv) throws IOException, MachineGone, InterruptedException {
        var terminal = new Terminal(api, this::at, "hermit-" + hex());
        try {
            return terminal.open(argv);
        } catch (Terminal.Refused e) {
            throw failed("open a stream to sandbox " + machine.id(), e.answer());
        }
    }

    private URI at(String path) {
        return api.toolbox(machine.access().getOrDefault(Sandbox.TOOLBOX, ""), machine.id(), path);
    }

    /// 400, 401, 404 and 502 all may mean that the sandbox does not run: the API knows.
    private IOException failed(String doing, Answer answer) throws MachineGone, InterruptedException {
        Optional<Sandbox> there;
        try {
            there = sandboxes.find(machine.id());
        } catch (IOException | GatewayException e) {
            return new IOException("%s: %s".formatted(doing, e.getMessage()), e);
        }
        if (there.isEmpty() || there.get().state() != SandboxState.STARTED)
            throw new MachineGone("%s: the sandbox is %s"
                    .formatted(doing, there.map(Sandbox::detail).orElse("gone")));
        return new IOException(api.refused(doing, answer).detail());
    }

    private String hex() {
        return HexFormat.of().toHexDigits(random.nextLong());
    }
}
