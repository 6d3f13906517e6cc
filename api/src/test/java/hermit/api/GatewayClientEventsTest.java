package hermit.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import hermit.api.GatewayClientEvents.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(30)
class GatewayClientEventsTest {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch silence = new CountDownLatch(1);
    private final HttpServer server;
    private final GatewayClientEvents events;

    /// A stream of which one event has been read, and then nothing comes until the test says so: a comment.
    GatewayClientEventsTest() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write("event: one\ndata: 1\n\n".getBytes(UTF_8));
            exchange.getResponseBody().flush();
            try {
                silence.await();
                exchange.getResponseBody().write(": still here\n\n".getBytes(UTF_8));
                exchange.getResponseBody().flush();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        server.start();
        var address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        events = new GatewayClient(address, Optional.empty()).resume("/events", Optional.empty());
        assertThat(events.next().map(Event::name)).contains("one");
    }

    @AfterEach
    void stop() {
        silence.countDown();
        events.close();
        server.stop(0);
        threads.shutdownNow();
    }

    private CompletableFuture<Optional<Event>> reading(Thread.Builder builder) throws InterruptedException {
        var next = new CompletableFuture<Optional<Event>>();
        Thread reader = builder.start(() -> {
            try {
                next.complete(events.next());
            } catch (GatewayClientException e) {
                next.completeExceptionally(e);
            }
        });
        // In the middle of it, which a reader of a socket shows in no state.
        while (reader.getState() == Thread.State.NEW) Thread.onSpinWait();
        return next;
    }

    @Test
    void whoever_reads_on_a_virtual_thread_comes_to_the_end_when_another_closes() throws Exception {
        var next = reading(Thread.ofVirtual());
        events.close();
        assertThat(next.get()).isEmpty();
    }

    @Test
    void whoever_closes_does_not_wait_for_a_reader_that_cannot_be_woken() throws Exception {
        var next = reading(Thread.ofPlatform().daemon());
        events.close();
        silence.countDown();
        assertThat(next.get()).isEmpty();
    }

    @Test
    void there_is_nothing_to_read_once_it_is_closed() throws Exception {
        events.close();
        events.close();
        assertThat(events.next()).isEmpty();
    }
}
