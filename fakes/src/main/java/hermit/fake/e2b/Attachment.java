package hermit.fake.e2b;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/// A stream of one process's events to one client. Who does not read holds the process up.
final class Attachment implements Answer.Body {
    private static final int PENDING = 16;
    private static final long LOOK_UP_MILLIS = 100;

    private final DaemonProcess process;
    private final Optional<Long> limitMillis;
    private final Duration betweenSigns;
    private final BlockingQueue<Event> events = new ArrayBlockingQueue<>(PENDING);
    private volatile boolean gone;
    private volatile boolean cut;

    sealed interface Event {}

    record Data(Map<String, Object> event) implements Event {}

    record End(Map<String, Object> end) implements Event {}

    /// The process's own limit has come.
    record Expired() implements Event {}

    Attachment(DaemonProcess process, Optional<Long> limitMillis, Duration betweenSigns) {
        this.process = process;
        this.limitMillis = limitMillis;
        this.betweenSigns = betweenSigns;
    }

    void put(Event event) {
        try {
            while (!gone && !cut && !events.offer(event, LOOK_UP_MILLIS, TimeUnit.MILLISECONDS)) {}
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The connection is to break.
    void cut() {
        cut = true;
    }

    @Override
    public void writeTo(Answer.Sink sink) throws IOException, InterruptedException {
        long began = System.nanoTime();
        long lastSign = began;
        try {
            sink.write(event("start", Map.of("pid", process.pid())));
            while (true) {
                // Looks up often, so that a cut is seen without a place in a queue that may be full.
                var event = events.poll(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
                if (cut) throw new Lost();
                if (event == null) {
                    if (limitMillis.isPresent() && millisSince(began) >= limitMillis.get()) {
                        sink.write(deadline());
                        return;
                    }
                    if (millisSince(lastSign) < betweenSigns.toMillis()) continue;
                    sink.write(event("keepalive", Map.of()));
                    lastSign = System.nanoTime();
                    continue;
                }
                switch (event) {
                    case Data(var data) -> sink.write(Frames.message(Map.of("event", data)));
                    case End(var end) -> {
                        sink.write(event("end", end));
                        sink.write(Frames.end());
                        return;
                    }
                    case Expired _ -> {
                        sink.write(deadline());
                        return;
                    }
                }
                lastSign = System.nanoTime();
            }
        } finally {
            gone = true;
            process.detach(this);
        }
    }

    private static byte[] event(String name, Object value) {
        return Frames.message(Map.of("event", Map.of(name, value)));
    }

    private static byte[] deadline() {
        return Frames.end(RpcError.of("deadline_exceeded", "context deadline exceeded"));
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
