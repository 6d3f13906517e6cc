package hermit.backend.keeper;

import hermit.exec.Command.Terminal;
import hermit.exec.OutputStreamKind;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/// One command, as followed over one connection. Checks that the keeper sends nothing here but what is due.
final class Channel {
    private static final byte[] NOTHING = {};
    private static final int OUTPUT_HEADER = 9;

    private enum Phase {
        START_ASKED,
        ATTACH_ASKED,
        FOLLOWING
    }

    private final KeeperConnection connection;
    private final Outbox outbox;
    private final int number;
    private final Follower follower;
    /// Bytes of output that the keeper may still send.
    private final AtomicLong granted;
    // From here on: used by the connection's reader only.
    private Phase phase;
    private long stdoutNext;
    private long stderrNext;

    private Channel(
            KeeperConnection connection, Outbox outbox, int number, Follower follower, Phase phase, long granted) {
        this.connection = connection;
        this.outbox = outbox;
        this.number = number;
        this.follower = follower;
        this.phase = phase;
        this.granted = new AtomicLong(granted);
    }

    static Channel forStart(KeeperConnection connection, Outbox outbox, int number, Follower follower, long granted) {
        return new Channel(connection, outbox, number, follower, Phase.START_ASKED, granted);
    }

    static Channel forAttach(
            KeeperConnection connection,
            Outbox outbox,
            int number,
            Follower follower,
            long granted,
            long stdout,
            long stderr) {
        var channel = new Channel(connection, outbox, number, follower, Phase.ATTACH_ASKED, granted);
        channel.stdoutNext = stdout;
        channel.stderrNext = stderr;
        return channel;
    }

    KeeperConnection connection() {
        return connection;
    }

    int number() {
        return number;
    }

    Follower follower() {
        return follower;
    }

    // --- to the keeper

    /// Lets it send this many more bytes of output.
    void credit(int bytes) {
        granted.addAndGet(bytes);
        outbox.put(
                FrameType.CREDIT,
                number,
                ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array());
    }

    /// Sends at most [Frame#MOST_PAYLOAD] bytes.
    void stdin(byte[] bytes, int offset, int length) {
        outbox.put(FrameType.STDIN, number, bytes, offset, length);
    }

    void stdinEnd() {
        outbox.put(FrameType.STDIN_EOF, number, NOTHING);
    }

    void signal(int signal) {
        outbox.put(FrameType.SIGNAL, number, new byte[] {(byte) signal});
    }

    void cancel() {
        outbox.put(FrameType.CANCEL, number, NOTHING);
    }

    void resize(Terminal size) {
        var payload = ByteBuffer.allocate(4).putShort((short) size.cols()).putShort((short) size.rows());
        outbox.put(FrameType.RESIZE, number, payload.array());
    }

    /// Stops following. What is already on its way is dropped.
    void detach() {
        connection.leave(this);
        outbox.put(FrameType.DETACH, number, NOTHING);
    }

    // --- from the keeper

    /// Takes a frame; false if it was the channel's last.
    boolean take(Frame frame) throws BadFrame {
        return switch (frame.type()) {
            case STARTED -> started(frame);
            case ATTACHED -> attached(frame);
            case REFUSED, ERROR -> refused(frame);
            case OUTPUT -> output(frame);
            case STDIN_CREDIT -> {
                mustFollow(frame);
                follower.stdinCredit(this, frame.oneNumber());
                yield true;
            }
            case STDIN_CLOSED -> {
                mustFollow(frame);
                frame.mustBeEmpty();
                follower.stdinClosed(this);
                yield true;
            }
            case END -> ended(frame);
            default -> throw unexpected(frame);
        };
    }

    private boolean started(Frame frame) throws BadFrame {
        if (phase != Phase.START_ASKED) throw unexpected(frame);
        var fields = FieldsReader.of(frame.payload());
        fields.number(1, Long.MAX_VALUE); // its pid in the machine, of no use here
        fields.finish();
        phase = Phase.FOLLOWING;
        follower.started(this);
        return true;
    }

    private boolean attached(Frame frame) throws BadFrame {
        if (phase != Phase.ATTACH_ASKED) throw unexpected(frame);
        var attached = Attached.read(frame.payload());
        // Asked for more than there is: it goes on where it is.
        stdoutNext = Math.min(stdoutNext, attached.stdoutTotal());
        stderrNext = Math.min(stderrNext, attached.stderrTotal());
        phase = Phase.FOLLOWING;
        follower.attached(this, attached);
        return true;
    }

    private boolean refused(Frame frame) throws BadFrame {
        var refusal = Refusal.read(frame.payload());
        if (frame.type() == FrameType.REFUSED || phase == Phase.ATTACH_ASKED) {
            if (phase == Phase.FOLLOWING) throw unexpected(frame);
            follower.refused(this, refusal);
        } else {
            follower.dropped(this, refusal);
        }
        return false;
    }

    private boolean output(Frame frame) throws BadFrame {
        mustFollow(frame);
        var payload = frame.payload();
        if (payload.remaining() <= OUTPUT_HEADER) throw new BadFrame("OUTPUT without bytes");
        var stream = streamOf(payload.get());
        long offset = payload.getLong();
        int length = payload.remaining();
        long due = stream == OutputStreamKind.STDOUT ? stdoutNext : stderrNext;
        if (offset < due || offset > Long.MAX_VALUE - length)
            throw new BadFrame(
                    "%s goes on at %s, but was due at %d".formatted(stream, Long.toUnsignedString(offset), due));
        if (granted.addAndGet(-length) < 0) throw new BadFrame("more output than was granted");
        if (stream == OutputStreamKind.STDOUT) stdoutNext = offset + length;
        else stderrNext = offset + length;
        follower.output(this, stream, offset, payload);
        return true;
    }

    private boolean ended(Frame frame) throws BadFrame {
        mustFollow(frame);
        var ended = Ended.read(frame.payload());
        if (ended.stdoutTotal() < stdoutNext || ended.stderrTotal() < stderrNext)
            throw new BadFrame("END counts less output than came");
        follower.ended(this, ended);
        return false;
    }

    private void mustFollow(Frame frame) throws BadFrame {
        if (phase != Phase.FOLLOWING) throw unexpected(frame);
    }

    private BadFrame unexpected(Frame frame) {
        return new BadFrame("%s is not due on channel %d".formatted(frame.type(), number));
    }

    private static OutputStreamKind streamOf(byte code) throws BadFrame {
        return switch (code) {
            case 1 -> OutputStreamKind.STDOUT;
            case 2 -> OutputStreamKind.STDERR;
            default -> throw new BadFrame("OUTPUT of stream " + Byte.toUnsignedInt(code));
        };
    }
}
