package hermit.http;

import hermit.access.Caller;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.RateLimited;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/// The requests that are being answered, so that closing the server can interrupt them; and how many of them
/// are event streams, of all callers and of each.
final class RunningRequests {
    private static final Duration STREAMS_RETRY = Duration.ofSeconds(5);

    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final Semaphore streams;
    private final int maxStreams;
    private final int maxStreamsPerCaller;
    private final ConcurrentHashMap<String, Integer> streamsOf = new ConcurrentHashMap<>();
    private volatile boolean closing;

    RunningRequests(int maxStreams, int maxStreamsPerCaller) {
        this.maxStreams = maxStreams;
        this.maxStreamsPerCaller = maxStreamsPerCaller;
        this.streams = new Semaphore(maxStreams);
    }

    /// The calling thread answers a request from now on.
    Running enter() {
        var entered = new Running(Thread.currentThread());
        running.add(entered);
        return entered;
    }

    int openStreams() {
        return maxStreams - streams.availablePermits();
    }

    /// Ends the event streams: who listens can come back to another gateway, or later.
    void interruptStreams() {
        closing = true;
        running.forEach(each -> {
            if (each.stream) each.interrupt();
        });
    }

    /// Those that are streams now.
    List<Running> streams() {
        return running.stream().filter(each -> each.stream).toList();
    }

    void interruptAll() {
        running.forEach(Running::interrupt);
    }

    /// One request, and the thread that answers it.
    final class Running implements AutoCloseable {
        private final Thread thread;
        private boolean left;
        /// Whose stream it is, once there is room for it.
        private volatile Optional<String> reserved = Optional.empty();
        private volatile boolean stream;
        private volatile Optional<Right> right = Optional.empty();
        private volatile Optional<GatewayException> refusal = Optional.empty();

        private Running(Thread thread) {
            this.thread = thread;
        }

        void by(Right given) {
            right = Optional.of(given);
        }

        Optional<Right> right() {
            return right;
        }

        /// Ends it because its right has gone.
        void refuse(GatewayException why) {
            refusal = Optional.of(why);
            interrupt();
        }

        Optional<GatewayException> refusal() {
            return refusal;
        }

        /// What ended it, where `failure` did: the interrupt of a refusal may come out of whatever it was at as a
        /// failure of that, such as a database that could not be asked.
        GatewayException insteadOf(GatewayException failure) {
            Optional<GatewayException> why = refusal;
            if (why.isPresent()) Thread.interrupted(); // or what is still to be sent would be interrupted, too
            return why.orElse(failure);
        }

        /// Throws [RateLimited] if there are as many streams as there may be, of all or of this caller.
        void reserveStream(Caller caller) {
            if (!streams.tryAcquire())
                throw new RateLimited("Too many event streams and sockets are open", STREAMS_RETRY);
            String name = caller.recordedAs();
            int own = streamsOf.merge(name, 1, Integer::sum);
            reserved = Optional.of(name);
            if (own > maxStreamsPerCaller && !(caller instanceof Caller.Admin))
                throw new RateLimited(
                        "You have %d event streams and sockets open, which is limits.streams_per_caller"
                                .formatted(maxStreamsPerCaller),
                        STREAMS_RETRY);
        }

        /// From now on this request is a stream. Throws where the server has begun to close, as an interrupt
        /// would.
        void startStream() throws InterruptedException {
            stream = true;
            if (closing) throw new InterruptedException();
        }

        /// Nothing happens once the request has been answered: the thread may be at another one.
        synchronized void interrupt() {
            if (!left) thread.interrupt();
        }

        @Override
        public synchronized void close() {
            left = true;
            running.remove(this);
            reserved.ifPresent(name -> {
                streamsOf.computeIfPresent(name, (_, open) -> open == 1 ? null : open - 1);
                streams.release();
            });
            Thread.interrupted(); // an interrupt that came too late is meant for nobody
        }
    }
}
