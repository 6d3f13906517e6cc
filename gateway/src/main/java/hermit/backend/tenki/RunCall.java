package hermit.backend.tenki;

import com.google.protobuf.ByteString;
import hermit.backend.keeper.Scheduler;
import hermit.tenki.wire.RunRequest;
import hermit.tenki.wire.RunResponse;
import hermit.tenki.wire.RunSignal;
import hermit.tenki.wire.RunStart;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceGrpc;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceRunRequest;
import hermit.tenki.wire.SandboxSessionDataPlaneServiceRunResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// One program in a session, over one stream of frames. One thread reads, one writes, any may end it.
final class RunCall {
    /// A program whose stream is cut may go on for 10 s, so it is killed first; nobody waits longer than this for it.
    private static final Duration DIES_WITHIN = Duration.ofSeconds(2);

    private final ClientCall<SandboxSessionDataPlaneServiceRunRequest, SandboxSessionDataPlaneServiceRunResponse> call;
    private final Inbox<SandboxSessionDataPlaneServiceRunResponse> inbox = new Inbox<>();
    private final Scheduler scheduler;
    /// The call itself is not made for several threads.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition mayBeReady = lock.newCondition();
    private boolean ended;

    private RunCall(
            ClientCall<SandboxSessionDataPlaneServiceRunRequest, SandboxSessionDataPlaneServiceRunResponse> call,
            Scheduler scheduler) {
        this.call = call;
        this.scheduler = scheduler;
    }

    static RunCall start(Channel channel, Doorway.Pass pass, RunStart start, Scheduler scheduler) {
        var run = new RunCall(
                channel.newCall(pass.method(SandboxSessionDataPlaneServiceGrpc.getRunMethod()), CallOptions.DEFAULT),
                scheduler);
        run.inbox.whenReady(run::mayBeReady);
        run.call.start(run.inbox, pass.headers());
        run.call.request(1);
        run.call.sendMessage(frame(RunRequest.newBuilder().setStart(start)));
        return run;
    }

    /// The next frame; empty at the end of the stream.
    Optional<RunResponse> next() throws CallFailed, InterruptedException {
        var frame = inbox.next().map(SandboxSessionDataPlaneServiceRunResponse::getFrame);
        if (frame.isEmpty()) return frame;
        lock.lock();
        try {
            if (!ended) call.request(1);
        } finally {
            lock.unlock();
        }
        return frame;
    }

    /// The program's stdin ends; closing the stream would not say that. Why a stream has ended already, its reader is
    /// told.
    void closeStdin() {
        lock.lock();
        try {
            if (!ended && !inbox.hasEnded())
                call.sendMessage(frame(RunRequest.newBuilder().setStdinClose(true)));
        } finally {
            lock.unlock();
        }
    }

    /// Waits while the stream cannot take more.
    void stdin(ByteString bytes) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!ended && !inbox.hasEnded() && !call.isReady()) mayBeReady.await();
            if (ended || inbox.hasEnded()) throw new IOException("the stream into the sandbox has ended");
            call.sendMessage(frame(RunRequest.newBuilder().setStdin(bytes)));
        } finally {
            lock.unlock();
        }
    }

    /// Ends it at once, for everybody here, and soon for the program, which is killed if it still runs. May be called
    /// twice.
    void end() {
        lock.lock();
        try {
            if (ended) return;
            ended = true;
            boolean over = inbox.hasEnded();
            if (!over) {
                call.sendMessage(frame(
                        RunRequest.newBuilder().setSignal(RunSignal.newBuilder().setSignal(RunSignal.Sig.SIG_KILL))));
                call.halfClose();
                // So that the exit frame, and with it the end of the stream, can come.
                call.request(Integer.MAX_VALUE);
                scheduler.after(DIES_WITHIN, this::cancel);
            }
            mayBeReady.signalAll();
        } finally {
            lock.unlock();
        }
        inbox.abandon();
    }

    /// Gives it up without a word; a reader gets a failure.
    void cancel() {
        call.cancel("given up", null);
    }

    private void mayBeReady() {
        lock.lock();
        try {
            mayBeReady.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static SandboxSessionDataPlaneServiceRunRequest frame(RunRequest.Builder request) {
        return SandboxSessionDataPlaneServiceRunRequest.newBuilder()
                .setFrame(request)
                .build();
    }
}
