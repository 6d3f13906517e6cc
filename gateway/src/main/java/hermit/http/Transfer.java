package hermit.http;

import hermit.http.RunningRequests.Running;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Invalid;
import hermit.world.World;
import jakarta.servlet.http.HttpServletRequest;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Any number of bytes between a client and the handler of its request. A client that neither sends nor takes anything
/// for a while would hold a sandbox busy for nothing, and is cut off. The sandbox may be as slow as it likes.
final class Transfer implements AutoCloseable {
    /// How often the client is looked at. One that stands still at two looks after another is cut off, which is 60 to
    /// 90 s after it last moved.
    static final Duration LOOK_EVERY = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(Transfer.class);

    private final HttpServletRequest request;
    private final Trace trace;
    private final Running running;
    private final World world;
    private final AtomicLong moves = new AtomicLong();
    private volatile boolean waiting;
    private volatile boolean read;
    private volatile boolean cut;
    private Optional<Thread> watch = Optional.empty();

    /// Of a request that may turn out to need none.
    Transfer(HttpServletRequest request, Trace trace, Running running, World world) {
        this.request = request;
        this.trace = trace;
        this.running = running;
        this.world = world;
    }

    /// The request's body.
    Upload upload() {
        trace.becameStream();
        long length = request.getContentLengthLong();
        return new Upload(body(), length < 0 ? OptionalLong.empty() : OptionalLong.of(length));
    }

    /// The request's body, from a client that is watched while it sends.
    InputStream body() {
        try {
            var in = request.getInputStream();
            long length = request.getContentLengthLong();
            // What has all come with the headers, as most bodies do, nobody is waited for.
            if (length < 0 || in.available() < length) begin();
            return new Body(in);
        } catch (IOException e) {
            throw new ClientGone(e);
        }
    }

    /// Whether the body was asked for, so that a client that waits to be told has been told to send it.
    boolean hasRead() {
        return read;
    }

    /// Sends one piece and waits until it is on its way.
    void send(OutputStream out, byte[] piece) {
        trace.becameStream();
        begin();
        await();
        try {
            out.write(piece);
        } catch (IOException e) {
            throw new ClientGone(e);
        } finally {
            waiting = false;
        }
    }

    /// Closes the connection, so that the client does not take what it has for the whole. The write that then fails
    /// tells the server that the answer is over.
    void breakOff(OutputStream out) {
        trace.closeConnection();
        try {
            out.write(0);
            out.flush();
        } catch (IOException e) {
            LOG.debug("Request {} was broken off: {}", trace.id(), e.getMessage());
        }
    }

    private void begin() {
        if (watch.isPresent()) return;
        watch = Optional.of(Thread.ofVirtual().name("transfer-watch").start(this::watch));
    }

    private void await() {
        moves.incrementAndGet();
        waiting = true;
    }

    private void watch() {
        long seen = -1;
        int standing = 0;
        try {
            while (standing < 2) {
                world.pause().of(LOOK_EVERY);
                long now = moves.get();
                standing = waiting && now == seen ? standing + 1 : 0;
                seen = now;
            }
        } catch (InterruptedException e) {
            return; // the request has been answered
        }
        LOG.info("Request {}: the client stands still and is cut off", trace.id());
        cut = true;
        trace.closeConnection();
        running.interrupt();
    }

    @Override
    public void close() {
        watch.ifPresent(Thread::interrupt);
    }

    /// Reads from the client, and says in the API's words what went wrong.
    private final class Body extends FilterInputStream {
        Body(InputStream in) {
            super(in);
        }

        @Override
        public int read() {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            read = true;
            await();
            try {
                return in.read(bytes, offset, length);
            } catch (HttpException.RuntimeException | IOException e) {
                if (cut) throw new ClientGone();
                if (e instanceof InterruptedIOException) throw new BackendUnavailable("The gateway is shutting down");
                throw new Invalid("", "the body ended too early or is not well-formed HTTP");
            } finally {
                waiting = false;
            }
        }
    }
}
