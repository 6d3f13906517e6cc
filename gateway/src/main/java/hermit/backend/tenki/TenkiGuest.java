package hermit.backend.tenki;

import com.google.protobuf.ByteString;
import hermit.backend.cloud.Guest;
import hermit.backend.keeper.Bridge;
import hermit.backend.keeper.Scheduler;
import hermit.exec.MachineGone;
import hermit.tenki.wire.MkdirRequest;
import hermit.tenki.wire.RunResponse;
import hermit.tenki.wire.RunStart;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceGrpc;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceMkdirRequest;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceWriteFileStreamRequest;
import hermit.tenki.wire.WriteFileStreamRequest;
import hermit.tenki.wire.WriteFileStreamStart;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The way into one session. Nothing is ever asked twice of which a sign was seen that it has begun.
final class TenkiGuest implements Guest {
    /// The file calls reach what lies under this, and nothing else.
    private static final String FILES = "/home/tenki";

    private static final String PROGRAM = "/opt/hermit";
    private static final String SOCKET = "/run/hermit/keeper.sock";
    private static final int EXECUTABLE = 0755;
    /// Many servers refuse messages of more than 4 MiB.
    private static final int CHUNK = 256 << 10;

    private static final int MOST_OUTPUT = 64 << 10;
    private static final long LONGEST_LIMIT_MS = 0xffff_ffffL;
    private static final Duration STARTS_WITHIN = Duration.ofSeconds(30);

    private final Doorway doorway;
    private final TenkiSettings settings;
    private final Scheduler scheduler;
    private final String session;

    TenkiGuest(Doorway doorway, TenkiSettings settings, Scheduler scheduler, String session) {
        this.doorway = doorway;
        this.settings = settings;
        this.scheduler = scheduler;
        this.session = session;
    }

    @Override
    public Lodging lodging() {
        return new Lodging(PROGRAM, FILES, SOCKET, false);
    }

    @Override
    public void upload(String path, byte[] content) throws IOException, MachineGone, InterruptedException {
        String parent = path.substring(0, path.lastIndexOf('/'));
        if (!parent.equals(FILES)) mkdir(parent);
        var frames = new ArrayList<SandboxSessionDataPlaneServiceWriteFileStreamRequest>();
        frames.add(frame(WriteFileStreamRequest.newBuilder()
                .setStart(WriteFileStreamStart.newBuilder()
                        .setSessionId(session)
                        .setPath(path)
                        .setMode(EXECUTABLE)
                        .setTruncate(true))));
        for (int at = 0; at < content.length; at += CHUNK)
            frames.add(frame(WriteFileStreamRequest.newBuilder()
                    .setData(ByteString.copyFrom(content, at, Math.min(CHUNK, content.length - at)))));
        long written = entered(
                "write %s in sandbox %s".formatted(path, session),
                pass -> Calls.call(
                                doorway.channel(pass),
                                pass.method(SandboxSessionDataPlaneServiceGrpc.getWriteFileStreamMethod()),
                                pass.headers(),
                                settings.callWithin(),
                                frames)
                        .getResponse()
                        .getBytesWritten());
        if (written != content.length)
            throw new IOException("write %s in sandbox %s: %d of %d bytes were written"
                    .formatted(path, session, written, content.length));
    }

    private void mkdir(String path) throws IOException, MachineGone, InterruptedException {
        entered(
                "make %s in sandbox %s".formatted(path, session),
                pass -> Calls.call(
                        doorway.channel(pass),
                        pass.method(SandboxSessionDataPlaneServiceGrpc.getMkdirMethod()),
                        pass.headers(),
                        settings.callWithin(),
                        SandboxSessionDataPlaneServiceMkdirRequest.newBuilder()
                                .setRequest(MkdirRequest.newBuilder()
                                        .setSessionId(session)
                                        .setPath(path)
                                        .setMode(EXECUTABLE)
                                        .setRecursive(true))
                                .build()));
    }

    @Override
    public Ran run(List<String> argv, Duration limit) throws IOException, MachineGone, InterruptedException {
        String tried = "run %s in sandbox %s".formatted(argv.getFirst(), session);
        var start = start(argv).setTimeoutMs((int) Math.clamp(limit.toMillis(), 1, LONGEST_LIMIT_MS));
        return entered(tried, pass -> run(tried, pass, start.build(), limit));
    }

    private Ran run(String tried, Doorway.Pass pass, RunStart start, Duration limit)
            throws CallFailed, IOException, MachineGone, InterruptedException {
        var run = RunCall.start(doorway.channel(pass), pass, start, scheduler);
        // A guest may be older than its limit, and its transport may be stalled.
        var overdue = scheduler.after(limit.plus(settings.abortAfter()), run::cancel);
        try {
            run.closeStdin();
            var first = first(run, tried);
            var stdout = new ByteArrayOutputStream();
            var stderr = new ByteArrayOutputStream();
            for (var frame = first; ; frame = following(run, tried)) {
                switch (frame.getPayloadCase()) {
                    case STDOUT -> append(stdout, frame.getStdout());
                    case STDERR -> append(stderr, frame.getStderr());
                    case EXIT -> {
                        int code = RunEnd.code(tried, frame.getExit());
                        // What went wrong, it says there.
                        if (code != 0) append(stdout, ByteString.copyFrom(stderr.toByteArray()));
                        return new Ran(code, stdout.toString(StandardCharsets.UTF_8));
                    }
                    case STARTED, FLOW, PAYLOAD_NOT_SET -> {} // nothing of it is needed
                }
            }
        } finally {
            overdue.cancel();
            run.end();
        }
    }

    @Override
    public Bridge open(List<String> argv) throws IOException, MachineGone, InterruptedException {
        String tried = "open a stream to %s in sandbox %s".formatted(argv.getFirst(), session);
        return entered(tried, pass -> open(tried, pass, start(argv).build()));
    }

    private Bridge open(String tried, Doorway.Pass pass, RunStart start)
            throws CallFailed, IOException, MachineGone, InterruptedException {
        var run = RunCall.start(doorway.channel(pass), pass, start, scheduler);
        var overdue = scheduler.after(STARTS_WITHIN, run::cancel);
        boolean open = false;
        try {
            var first = first(run, tried);
            if (first.getPayloadCase() == RunResponse.PayloadCase.EXIT)
                throw new IOException("%s: it ended with %d".formatted(tried, RunEnd.code(tried, first.getExit())));
            open = true;
            return new RunBridge(run);
        } finally {
            overdue.cancel();
            if (!open) run.end();
        }
    }

    private RunStart.Builder start(List<String> argv) {
        return RunStart.newBuilder()
                .setSessionId(session)
                .addAllCmd(argv)
                // Always there, whatever the image.
                .setCwd("/")
                .setStreamStdin(true)
                .setPrivileged(true);
    }

    /// Until here it has certainly done nothing that was seen, so that this failure may be answered by another attempt.
    private static RunResponse first(RunCall run, String tried) throws CallFailed, IOException, InterruptedException {
        return run.next().orElseThrow(() -> new IOException(tried + ": the stream ended without a frame"));
    }

    private static RunResponse following(RunCall run, String tried) throws IOException, InterruptedException {
        try {
            return run.next().orElseThrow(() -> new IOException(tried + ": the stream ended without an exit"));
        } catch (CallFailed e) {
            throw new IOException("%s: the stream broke: %s".formatted(tried, e.getMessage()), e);
        }
    }

    private static void append(ByteArrayOutputStream to, ByteString bytes) {
        to.writeBytes(bytes.substring(0, Math.min(bytes.size(), MOST_OUTPUT - to.size()))
                .toByteArray());
    }

    private static SandboxSessionDataPlaneServiceWriteFileStreamRequest frame(WriteFileStreamRequest.Builder frame) {
        return SandboxSessionDataPlaneServiceWriteFileStreamRequest.newBuilder()
                .setFrame(frame)
                .build();
    }

    /// A [CallFailed] means that nothing of it was seen to be done.
    private interface Attempt<T> {
        T with(Doorway.Pass pass) throws CallFailed, IOException, MachineGone, InterruptedException;
    }

    /// Repeats what was turned away before it began: by a way that is not open yet, by the transport, and once for want
    /// of a valid credential.
    private <T> T entered(String tried, Attempt<T> attempt) throws IOException, MachineGone, InterruptedException {
        long end = scheduler.nanos() + settings.readyWithin().toNanos();
        boolean renewed = false;
        for (int i = 1; ; i++) {
            var pass = doorway.enter(end);
            try {
                return attempt.with(pass);
            } catch (CallFailed e) {
                String why = "%s: %s".formatted(tried, e.getMessage());
                if (e.isNoSession() || e.isOutOfService()) throw new MachineGone(why, e);
                if (e.isUnauthenticated() && !renewed) {
                    renewed = true;
                    doorway.refused(pass);
                } else if (e.isNoRoute() || e.isRefused()) {
                    doorway.unproven(pass);
                    doorway.rest(i, end, why);
                } else {
                    throw new IOException(why, e);
                }
            }
        }
    }
}
