package hermit.backend.keeper;

import hermit.exec.OutputStreamKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Writes down what it is told, in words.
final class RecordingFollower implements Follower {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    String next() throws InterruptedException {
        var next = told.poll(10, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("the follower was told nothing");
        return next;
    }

    boolean hasMore() {
        return !told.isEmpty();
    }

    @Override
    public void started(Channel channel) {
        told.add("started");
    }

    @Override
    public void attached(Channel channel, Attached attached) {
        told.add("attached");
    }

    @Override
    public void refused(Channel channel, Refusal refusal) {
        told.add("refused " + refusal.code());
    }

    @Override
    public void dropped(Channel channel, Refusal refusal) {
        told.add("dropped " + refusal.code());
    }

    @Override
    public void output(Channel channel, OutputStreamKind stream, long offset, ByteBuffer bytes) {
        told.add("%s %d+%d".formatted(stream, offset, bytes.remaining()));
    }

    @Override
    public void stdinCredit(Channel channel, long bytes) {
        told.add("credit " + bytes);
    }

    @Override
    public void stdinClosed(Channel channel) {
        told.add("stdin closed");
    }

    @Override
    public void ended(Channel channel, Ended ended) {
        told.add("ended");
    }

    @Override
    public void lost(Channel channel, IOException why) {
        told.add("lost: " + why.getMessage());
    }
}
