package hermit.backend.keeper;

import hermit.exec.DiskUse;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The keeper's end of one bridge: what the gateway sent waits in a queue, and the test says what it hears.
final class KeeperEnd implements AutoCloseable {
    /// Not a type of the protocol: the gateway closed the bridge.
    static final int CLOSED = -1;

    private final Socket socket;
    private final UUID boot;
    private final DataOutputStream out;
    private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
    private final BlockingQueue<Sent> forgotten = new LinkedBlockingQueue<>();
    private final BlockingQueue<Sent> pings = new LinkedBlockingQueue<>();
    private volatile boolean mute;
    private volatile String loginEnvironment = "PATH=/bin\0";

    /// A frame of the gateway; START with what came before it in MORE frames.
    record Sent(int type, int channel, ByteBuffer payload) {
        boolean is(FrameType expected) {
            return (byte) type == expected.code();
        }

        FieldsReader fields() {
            try {
                return FieldsReader.of(payload);
            } catch (BadFrame e) {
                throw new AssertionError(e);
            }
        }

        List<String> texts(int tag) {
            return fields().list(tag).stream()
                    .map(each -> StandardCharsets.UTF_8.decode(each.slice()).toString())
                    .toList();
        }

        long number(int tag) {
            return fields().list(tag).getFirst().getLong();
        }

        String text() {
            return StandardCharsets.UTF_8.decode(payload.slice()).toString();
        }
    }

    KeeperEnd(Socket socket, UUID boot) throws IOException {
        this.socket = socket;
        this.boot = boot;
        this.out = new DataOutputStream(socket.getOutputStream());
        socket.setTcpNoDelay(true);
    }

    // --- what the gateway sent

    /// The next frame but pings (answered unless mute) and FORGETs (see [#forgotten]).
    Sent next() throws InterruptedException {
        var next = sent.poll(10, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("the gateway sent nothing");
        return next;
    }

    Sent expect(FrameType type) throws InterruptedException {
        var next = next();
        if (!next.is(type)) throw new AssertionError("expected %s, got %s".formatted(type, next));
        return next;
    }

    void expectClosed() throws InterruptedException {
        var next = next();
        if (next.type != CLOSED) throw new AssertionError("expected the bridge to be closed, got " + next);
    }

    Sent forgotten() throws InterruptedException {
        var next = forgotten.poll(10, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("nothing was forgotten");
        return next;
    }

    Sent ping() throws InterruptedException {
        var next = pings.poll(10, TimeUnit.SECONDS);
        if (next == null) throw new AssertionError("the gateway did not ping");
        return next;
    }

    int waiting() {
        return sent.size();
    }

    // --- what it hears

    /// Reads what comes, without greeting.
    KeeperEnd listen() {
        Thread.ofVirtual().start(this::read);
        return this;
    }

    KeeperEnd greet() {
        send(FrameType.HELLO, 0, hello(boot));
        return listen();
    }

    /// From now on pings get no answer.
    void mute() {
        mute = true;
    }

    void loginEnvironment(String printed) {
        loginEnvironment = printed;
    }

    static FieldsWriter hello(UUID boot) {
        return new FieldsWriter().number(1, 1).text(2, "fake").id(3, boot).text(4, "amd64");
    }

    void started(int channel) {
        send(FrameType.STARTED, channel, new FieldsWriter().number(1, 4711));
    }

    void attached(int channel, long stdout, long stderr) {
        attached(channel, 4711, stdout, stderr);
    }

    void attached(int channel, long pid, long stdout, long stderr) {
        send(
                FrameType.ATTACHED,
                channel,
                new FieldsWriter()
                        .number(1, pid)
                        .number(2, stdout)
                        .number(3, stderr)
                        .number(4, 0)
                        .number(5, 10));
    }

    void refused(int channel, Refusal.Code code) {
        send(FrameType.REFUSED, channel, refusal(code));
    }

    void error(int channel, Refusal.Code code) {
        send(FrameType.ERROR, channel, refusal(code));
    }

    void output(int channel, int stream, long offset, String text) {
        output(channel, stream, offset, text.getBytes(StandardCharsets.UTF_8));
    }

    void output(int channel, int stream, long offset, byte[] bytes) {
        var payload = ByteBuffer.allocate(9 + bytes.length)
                .put((byte) stream)
                .putLong(offset)
                .put(bytes);
        send(FrameType.OUTPUT, channel, payload.array());
    }

    void end(int channel, Ended ended) {
        var fields = new FieldsWriter()
                .number(1, List.of(Ended.How.values()).indexOf(ended.how()) + 1)
                .number(2, ended.code())
                .number(3, ended.signal())
                .number(4, ended.stdoutTotal())
                .number(5, ended.stderrTotal())
                .number(6, ended.oomKills())
                .number(7, ended.micros())
                .number(8, ended.killed() ? 1 : 0);
        ended.disk()
                .ifPresent(disk -> fields.number(9, disk.limit().bytes())
                        .number(10, disk.used())
                        .number(11, List.of(DiskUse.Effect.values()).indexOf(disk.effect())));
        send(FrameType.END, channel, fields);
    }

    void exited(int channel, int code, long stdoutTotal) {
        end(channel, new Ended(Ended.How.EXITED, code, 0, stdoutTotal, 0, 0, 1_000, false, Optional.empty()));
    }

    void send(FrameType type, int channel, FieldsWriter fields) {
        send(type, channel, fields.bytes());
    }

    void send(FrameType type, int channel, byte[] payload) {
        send(type.code(), channel, payload);
    }

    synchronized void send(int type, int channel, byte[] payload) {
        try {
            var frame = ByteBuffer.allocate(9 + payload.length)
                    .putInt(5 + payload.length)
                    .put((byte) type)
                    .putInt(channel)
                    .put(payload);
            out.write(frame.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized void raw(byte[] bytes) {
        try {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The connection breaks.
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FieldsWriter refusal(Refusal.Code code) {
        return new FieldsWriter()
                .number(1, List.of(Refusal.Code.values()).indexOf(code) + 1)
                .text(2, "because");
    }

    private void read() {
        var more = new HashMap<Integer, ByteArrayOutputStream>();
        try {
            var in = new DataInputStream(socket.getInputStream());
            while (true) take(in, more);
        } catch (EOFException e) {
            sent.add(new Sent(CLOSED, 0, ByteBuffer.allocate(0)));
        } catch (IOException e) {
            sent.add(new Sent(CLOSED, 0, ByteBuffer.wrap(e.toString().getBytes(StandardCharsets.UTF_8))));
        }
    }

    private void take(DataInputStream in, Map<Integer, ByteArrayOutputStream> more) throws IOException {
        int length = in.readInt();
        int type = in.readUnsignedByte();
        int channel = in.readInt();
        byte[] payload = in.readNBytes(length - 5);
        var frame = new Sent(type, channel, ByteBuffer.wrap(payload));
        if (frame.is(FrameType.HELLO)) return;
        if (frame.is(FrameType.MORE)) {
            more.computeIfAbsent(channel, _ -> new ByteArrayOutputStream()).writeBytes(payload);
            return;
        }
        if (frame.is(FrameType.START) && more.containsKey(channel)) {
            var whole = more.remove(channel);
            whole.writeBytes(payload);
            frame = new Sent(type, channel, ByteBuffer.wrap(whole.toByteArray()));
        }
        if (frame.is(FrameType.PING)) {
            pings.add(frame);
            if (!mute) send(FrameType.PONG, 0, payload);
        } else if (frame.is(FrameType.FORGET)) {
            forgotten.add(frame);
        } else if (frame.is(FrameType.START) && frame.texts(2).contains("-lc") && !loginEnvironment.isEmpty()) {
            byte[] env = loginEnvironment.getBytes(StandardCharsets.UTF_8);
            started(channel);
            output(channel, 1, 0, env);
            exited(channel, 0, env.length);
        } else {
            sent.add(frame);
        }
    }
}
