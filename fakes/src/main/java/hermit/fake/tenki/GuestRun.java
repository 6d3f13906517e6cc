package hermit.fake.tenki;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import hermit.fake.Box;
import hermit.fake.BoxProcess;
import hermit.fake.FakeFailure;
import hermit.tenki.wire.RunExit;
import hermit.tenki.wire.RunRequest;
import hermit.tenki.wire.RunResponse;
import hermit.tenki.wire.RunSignal;
import hermit.tenki.wire.RunStart;
import hermit.tenki.wire.RunStarted;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/// One program that was asked for over a stream of frames. It lives as long as that stream does.
final class GuestRun implements FakeSession.Running {
    private static final int WINDOW = 256 * 1024;
    private static final int CHUNK = 32 * 1024;
    private static final int CHUNKS_ON_THE_WAY = 8;
    private static final byte[] CLOSE = new byte[0];
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(1);
    private static final Duration KILLED_AFTER_A_CUT = Duration.ofSeconds(5);
    /// As the engine tells of a signal.
    private static final int SIGNALED = 128;

    private static final int LAST_SIGNAL = 31;
    private static final Map<Integer, String> SIGNALS =
            Map.of(1, "hangup", 2, "interrupt", 9, "killed", 10, "user defined signal 1", 15, "terminated");

    private final FakeSession session;
    private final GrpcCall call;
    private final RunStart start;
    private final String special;
    private final Duration grace;
    private final BoxProcess process;
    private final Instant startedAt = Instant.now();
    private final BlockingQueue<byte[]> stdin = new ArrayBlockingQueue<>(CHUNKS_ON_THE_WAY);
    private final AtomicBoolean timedOut = new AtomicBoolean();
    private final AtomicBoolean over = new AtomicBoolean();

    private GuestRun(
            FakeSession session, GrpcCall call, RunStart start, String special, Duration grace, BoxProcess process) {
        this.session = session;
        this.call = call;
        this.start = start;
        this.special = special;
        this.grace = grace;
        this.process = process;
    }

    /// Returns when the stream has ended.
    static void serve(FakeSession session, Box box, GrpcCall call, RunStart start, String special, Duration grace)
            throws Refused, ClientGone, InterruptedException {
        if (start.getCmdCount() == 0 || start.getCmdList().contains(""))
            throw new Refused(Status.Code.INVALID_ARGUMENT, "validation error: cmd: value is required");
        if (special.equals("first_frame_timeout")) {
            exit(
                    call,
                    RunExit.newBuilder().setExitCode(-1).setReason("first_frame_timeout: guest-agent did not reply"));
            return;
        }
        if (special.equals("capability_unavailable")) {
            exit(call, RunExit.newBuilder().setExitCode(-1).setReason("capability_unavailable: run"));
            return;
        }
        var cwd = Path.of(Machines.HOME).resolve(start.getCwd()).normalize().toString();
        var user = start.getPrivileged() ? "root" : Machines.USER;
        var process = box.run(new Box.Run(user, Optional.of(cwd), start.getEnvMap(), start.getCmdList()));
        new GuestRun(session, call, start, special, grace, process).serve();
    }

    private void serve() throws ClientGone, InterruptedException {
        if (!session.add(this)) cut("session_terminated:stopped");
        var _ = call.whenGone().thenRun(() -> {
            if (over.compareAndSet(false, true)) Thread.ofVirtual().name("cut").start(() -> end(KILLED_AFTER_A_CUT));
        });
        Thread.ofVirtual().name("stdin").start(this::feed);
        if (start.getTimeoutMs() > 0 && !special.equals("ignores_timeout"))
            Thread.ofVirtual().name("limit").start(this::watchLimit);
        Thread.ofVirtual().name("run").start(this::follow);
        if (!start.getStreamStdin()) stdin.put(CLOSE);
        for (var frame = call.next(); frame.isPresent(); frame = call.next()) obey(frame.get());
        call.whenGone().join();
    }

    private void obey(byte[] frame) throws InterruptedException {
        try {
            var request = RunRequest.parseFrom(Wrapped.unwrap(frame));
            switch (request.getPayloadCase()) {
                case STDIN -> {
                    if (special.equals("unauthenticated_after_stdin")) {
                        over.set(true);
                        call.end(Status.Code.UNAUTHENTICATED, "session certificate expired", Map.of());
                        end(Duration.ZERO);
                        return;
                    }
                    byte[] all = request.getStdin().toByteArray();
                    for (int at = 0; at < all.length; at += CHUNK)
                        stdin.put(Arrays.copyOfRange(all, at, Math.min(all.length, at + CHUNK)));
                }
                case STDIN_CLOSE -> stdin.put(CLOSE);
                case SIGNAL -> process.signal(name(request.getSignal().getSignal()));
                case START, PAYLOAD_NOT_SET ->
                    call.end(Status.Code.INVALID_ARGUMENT, "start must be the first frame, once", Map.of());
            }
        } catch (InvalidProtocolBufferException e) {
            call.end(Status.Code.INTERNAL, "unreadable frame", Map.of());
        }
    }

    private static String name(RunSignal.Sig signal) {
        return signal == RunSignal.Sig.SIG_UNSPECIFIED || signal == RunSignal.Sig.UNRECOGNIZED
                ? "TERM"
                : signal.name().substring("SIG_".length());
    }

    private void feed() {
        try (var out = process.stdin()) {
            for (byte[] piece = stdin.take(); piece.length > 0; piece = stdin.take()) {
                out.write(piece);
                out.flush();
            }
        } catch (IOException e) {
            drain();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Nobody reads it any more.
    private void drain() {
        try {
            byte[] piece = stdin.take();
            while (piece.length > 0) piece = stdin.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow() {
        try {
            call.send(Wrapped.wrap(RunResponse.newBuilder()
                    .setStarted(RunStarted.newBuilder().setPid(process.pid()).setStdinWindowBytes(WINDOW))
                    .build()));
            if (special.equals("session_terminated")) {
                cut("session_terminated:host_lost");
                return;
            }
            var refusal = new CompletableFuture<Optional<String>>();
            var out = Thread.ofVirtual().start(() -> pump(process.stdout(), false, new CompletableFuture<>()));
            var err = Thread.ofVirtual().start(() -> pump(process.stderr(), true, refusal));
            out.join();
            err.join();
            int code = process.onExit().join();
            session.remove(this);
            if (over.compareAndSet(false, true)) exit(call, result(code, refusal.getNow(Optional.empty())));
        } catch (ClientGone e) {
            session.remove(this);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stdin.clear();
            stdin.add(CLOSE);
        }
    }

    /// What the shell that was to become the program says on its stderr, if that failed, is not the program's.
    private void pump(InputStream from, boolean stderr, CompletableFuture<Optional<String>> refusal) {
        byte[] buffer = new byte[CHUNK];
        try (from) {
            boolean first = true;
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                String text = first && stderr ? new String(buffer, 0, n, StandardCharsets.UTF_8) : "";
                first = false;
                if (text.startsWith("sh: ") && (text.contains(": exec: ") || text.contains(": cd: "))) {
                    refusal.complete(Optional.of(text));
                    continue;
                }
                var bytes = ByteString.copyFrom(buffer, 0, n);
                var frame = RunResponse.newBuilder();
                if (stderr) frame.setStderr(bytes);
                else frame.setStdout(bytes);
                call.send(Wrapped.wrap(frame.build()));
                if (special.equals("unauthenticated_midway") && over.compareAndSet(false, true)) {
                    call.end(Status.Code.UNAUTHENTICATED, "session certificate expired", Map.of());
                    end(Duration.ZERO);
                }
            }
        } catch (ClientGone e) {
            // Nobody hears it any more, and the program is being ended.
            session.remove(this);
        } catch (IOException e) {
            throw new FakeFailure("read what a program printed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RunExit.Builder result(int code, Optional<String> refusal) {
        var exit = RunExit.newBuilder()
                .setDurationMs(Duration.between(startedAt, Instant.now()).toMillis());
        boolean signaled = code > SIGNALED && code <= SIGNALED + LAST_SIGNAL;
        if (signaled)
            exit.setExitCode(-1).setSignal(SIGNALS.getOrDefault(code - SIGNALED, "signal " + (code - SIGNALED)));
        else exit.setExitCode(code);
        if (refusal.isPresent() && code >= 126)
            return exit.setReason("exec_failed")
                    .setErrno(refusal.get().contains("ermission") ? 13 : 2)
                    .setExitCode(refusal.get().contains(": cd: ") ? 126 : code);
        if (special.equals("grace_timeout"))
            return exit.setTimedOut(true).setReason("grace_timeout").setExitCode(-1);
        if (timedOut.get()) {
            exit.setTimedOut(true).setReason("timeout");
            return special.equals("timed_out_zero") ? exit.setExitCode(0).clearSignal() : exit;
        }
        return exit.setReason(signaled ? "signaled" : "exit");
    }

    private void watchLimit() {
        try {
            Thread.sleep(Duration.ofMillis(Integer.toUnsignedLong(start.getTimeoutMs())));
            if (over.get() || process.onExit().isDone()) return;
            timedOut.set(true);
            process.signalGroup("TERM");
            Thread.sleep(grace);
            if (!process.onExit().isDone()) process.signalGroup("KILL");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (FakeFailure e) {
            // Its machine is gone, and it with it.
            call.reset(GrpcCall.CANCEL);
        }
    }

    /// TERM, and later KILL.
    private void end(Duration patience) {
        try {
            session.remove(this);
            if (process.onExit().isDone()) return;
            process.signalGroup("TERM");
            Thread.sleep(patience);
            if (!process.onExit().isDone()) process.signalGroup("KILL");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (FakeFailure e) {
            // Its machine is gone or frozen, and it with it.
            call.reset(GrpcCall.CANCEL);
        }
    }

    @Override
    public void cut(String reason) {
        if (!over.compareAndSet(false, true)) return;
        if (!reason.isEmpty()) tell(RunExit.newBuilder().setExitCode(-1).setReason(reason));
        call.reset(GrpcCall.CANCEL);
        end(Duration.ZERO);
    }

    /// A client that does not read is not waited for.
    private void tell(RunExit.Builder exit) {
        var telling = Thread.ofVirtual().start(() -> exit(call, exit));
        try {
            telling.join(TOLD_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void exit(GrpcCall call, RunExit.Builder exit) {
        try {
            call.send(Wrapped.wrap(RunResponse.newBuilder().setExit(exit).build()));
            call.end();
        } catch (ClientGone e) {
            call.reset(GrpcCall.CANCEL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
