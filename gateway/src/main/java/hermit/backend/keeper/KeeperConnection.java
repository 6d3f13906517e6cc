package hermit.backend.keeper;

import hermit.exec.ExecId;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/// One connection to a keeper, over one bridge. One virtual thread reads and tells the followers of each channel,
/// another writes. Any mistake of the keeper, a broken bridge, or silence ends the whole connection; each follower is
/// then told once, after everything else that it was told.
final class KeeperConnection implements AutoCloseable {
    static final Duration HELLO_WITHIN = Duration.ofSeconds(10);
    /// Channels that were left and of which frames may still be on their way.
    private static final int MOST_LEFT = 4_096;

    private final Bridge bridge;
    private final Consumer<KeeperConnection> whenLost;
    private final Outbox outbox = new Outbox();
    private final Pings pings = new Pings(outbox);
    private final Liveness liveness;
    private final CompletableFuture<Hello> hello = new CompletableFuture<>();
    private final AtomicReference<Optional<IOException>> failure = new AtomicReference<>(Optional.empty());
    private final Map<Integer, Channel> channels = new ConcurrentHashMap<>();

    /// Guards what follows, up to the next blank line.
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Integer> left = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
            return size() > MOST_LEFT;
        }
    });
    private int lastNumber;
    private boolean over;

    private KeeperConnection(Bridge bridge, Scheduler scheduler, Consumer<KeeperConnection> whenLost) {
        this.bridge = bridge;
        this.whenLost = whenLost;
        this.liveness = new Liveness(scheduler, pings, outbox, this::fail);
    }

    /// Greets the keeper. The bridge belongs to the connection from here on, also if this throws. `whenLost` is called
    /// once, on the reader's thread, when an established connection is gone and all followers have been told.
    static KeeperConnection open(Bridge bridge, Scheduler scheduler, Consumer<KeeperConnection> whenLost)
            throws IOException, InterruptedException {
        var connection = new KeeperConnection(bridge, scheduler, whenLost);
        connection.outbox.put(FrameType.HELLO, 0, Hello.ours());
        Thread.ofVirtual().name("keeper-writer").start(connection::write);
        Thread.ofVirtual().name("keeper-reader").start(connection::read);
        var patience = scheduler.after(
                HELLO_WITHIN,
                () -> connection.fail(new IOException("the keeper did not greet within " + HELLO_WITHIN)));
        try {
            connection.hello.get();
            connection.liveness.watch();
            return connection;
        } catch (ExecutionException e) {
            throw new IOException(
                    "greet the keeper: "
                            + connection
                                    .failure
                                    .get()
                                    .map(IOException::getMessage)
                                    .orElse(""),
                    e);
        } catch (InterruptedException e) {
            connection.close();
            throw e;
        } finally {
            patience.cancel();
        }
    }

    /// What the keeper said of itself.
    Hello hello() {
        return hello.join();
    }

    /// False from the moment at which nothing can be sent any more; followers may learn a little later.
    boolean isOpen() {
        return failure.get().isEmpty();
    }

    /// How long nothing came from the keeper.
    Duration silence() {
        return liveness.silence();
    }

    /// Waits until a large request may be added.
    void awaitRoom() throws InterruptedException {
        outbox.awaitRoom();
    }

    /// Sends START. Empty if the connection was over before, so that it has certainly not been sent.
    Optional<Channel> start(byte[] fields, int window, Follower follower) {
        lock.lock();
        try {
            if (over || !isOpen()) return Optional.empty();
            var channel = Channel.forStart(this, outbox, freeNumber(), follower, window);
            channels.put(channel.number(), channel);
            outbox.putLong(FrameType.START, FrameType.MORE, channel.number(), fields);
            return Optional.of(channel);
        } finally {
            lock.unlock();
        }
    }

    /// Asks to follow a command from these offsets. Empty if the connection was over before.
    Optional<Channel> attach(ExecId id, long stdout, long stderr, int window, boolean held, Follower follower) {
        var fields = new FieldsWriter()
                .id(1, id.value())
                .number(2, stdout)
                .number(3, stderr)
                .number(4, window)
                .number(5, held ? StartRequest.HOLD : 0);
        lock.lock();
        try {
            if (over || !isOpen()) return Optional.empty();
            var channel = Channel.forAttach(this, outbox, freeNumber(), follower, window, stdout, stderr);
            channels.put(channel.number(), channel);
            outbox.put(FrameType.ATTACH, channel.number(), fields.bytes());
            return Optional.of(channel);
        } finally {
            lock.unlock();
        }
    }

    /// Lets the keeper drop a command's record. Goes out together with the next frame.
    void forget(ExecId id) {
        outbox.putLazily(
                FrameType.FORGET, 0, new FieldsWriter().id(1, id.value()).bytes());
    }

    /// Asks for a sign of life. By the time that it is there, the keeper has taken all that was sent before. Fails if
    /// the connection is lost before.
    CompletableFuture<Void> ping() {
        return pings.send();
    }

    /// Forgets a channel whose frames are of no interest any more.
    void leave(Channel channel) {
        lock.lock();
        try {
            left.add(channel.number());
            channels.remove(channel.number(), channel);
        } finally {
            lock.unlock();
        }
    }

    /// Gives up the connection. Does not wait: the reader tells the followers. Only the first reason counts.
    void fail(IOException why) {
        if (!failure.compareAndSet(Optional.empty(), Optional.of(why))) return;
        liveness.stop();
        outbox.close();
        bridge.close();
    }

    @Override
    public void close() {
        fail(new IOException("the gateway closed the connection"));
    }

    private int freeNumber() {
        do lastNumber = lastNumber == Integer.MAX_VALUE ? 1 : lastNumber + 1;
        while (channels.containsKey(lastNumber) || left.contains(lastNumber));
        return lastNumber;
    }

    private void write() {
        try {
            outbox.writeTo(bridge.out(), liveness::sent);
        } catch (IOException e) {
            fail(e);
        } catch (InterruptedException e) {
            fail(new IOException("the writer was interrupted", e));
        }
    }

    private void read() {
        try {
            var reader = new FrameReader(bridge.in());
            while (isOpen()) {
                var frame = reader.read();
                liveness.received();
                take(frame);
            }
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            fail(new IOException("read from the keeper: " + e, e)); // a fault of ours; the keeper's are BadFrames
        }
        tellAll(failure.get().orElseThrow());
    }

    private void tellAll(IOException why) {
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
        pings.fail(why);
        // None is added any more. Those that are left in the meantime have asked not to be told.
        for (Channel channel : channels.values()) channel.follower().lost(channel, why);
        channels.clear();
        if (!hello.completeExceptionally(why)) whenLost.accept(this);
    }

    private void take(Frame frame) throws BadFrame {
        if (frame.channel() == 0) {
            takeControl(frame);
            return;
        }
        if (!hello.isDone()) throw new BadFrame("the keeper did not greet first");
        var channel = channels.get(frame.channel());
        if (channel == null) {
            if (!wasLeft(frame.channel()))
                throw new BadFrame(
                        "%s on unknown channel %s".formatted(frame.type(), Integer.toUnsignedString(frame.channel())));
        } else if (!channel.take(frame)) {
            channels.remove(frame.channel(), channel);
        }
    }

    private boolean wasLeft(int number) {
        lock.lock();
        try {
            return left.contains(number);
        } finally {
            lock.unlock();
        }
    }

    private void takeControl(Frame frame) throws BadFrame {
        if (frame.type() == FrameType.ERROR) throw new BadFrame("the keeper gave up: " + Refusal.read(frame.payload()));
        if (frame.type() == FrameType.HELLO) {
            if (!hello.complete(Hello.read(frame.payload()))) throw new BadFrame("the keeper greeted twice");
            return;
        }
        if (!hello.isDone()) throw new BadFrame("the keeper did not greet first");
        var payload = frame.payload();
        switch (frame.type()) {
            case PING -> {
                if (payload.remaining() > Long.BYTES) throw new BadFrame("PING of more than 8 bytes");
                byte[] echo = new byte[payload.remaining()];
                payload.get(echo);
                outbox.put(FrameType.PONG, 0, echo);
            }
            case PONG -> pings.answered(payload);
            default -> throw new BadFrame("%s on channel 0".formatted(frame.type()));
        }
    }
}
