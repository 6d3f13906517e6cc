package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.http.EventStream.Event;
import hermit.http.Route.Streaming;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.NotFound;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class EventStreamTest {
    private static final String GET = Raw.request("GET /public/events", "Accept: text/event-stream");

    @Test
    void events_are_framed_with_id_name_and_one_line_of_json() {
        var route = events(stream -> {
            stream.send(Event.of("12:0", "stdout", Map.of("data", "a\nb\r\ndata: c")));
            stream.send(Event.of("end", Map.of()));
        });
        try (var server = TestServer.with(route)) {
            var response = server.get("/public/events");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Content-Type")).startsWith("text/event-stream");
            assertThat(response.header("X-Accel-Buffering")).isEqualTo("no");
            assertThat(response.header("Cache-Control")).isEqualTo("no-store");
            assertThat(response.text())
                    .isEqualTo(
                            "id: 12:0\nevent: stdout\ndata: {\"data\":\"a\\nb\\r\\ndata: c\"}\n\nevent: end\ndata: {}\n\n");
        }
    }

    @Test
    void each_event_arrives_while_the_source_goes_on() {
        var more = new CountDownLatch(1);
        var route = events(stream -> {
            stream.send(Event.of("first", Map.of()));
            more.await();
            stream.send(Event.of("second", Map.of()));
        });
        try (var server = TestServer.with(route);
                var client = new Raw(server.port())) {
            client.send(GET);
            client.readUntil("event: first\ndata: {}\n\n");
            more.countDown();
            assertThat(client.readToEnd()).contains("event: second");
        }
    }

    @Test
    void a_silent_stream_is_kept_alive_by_comments() {
        var done = new CountDownLatch(1);
        try (var server = TestServer.with(events(stream -> done.await()));
                var client = new Raw(server.port())) {
            client.send(GET);
            server.beats.next();
            client.readUntil(": still here\n\n");
            server.beats.next();
            client.readUntil(": still here\n\n");
            done.countDown();
            assertThat(client.readToEnd()).doesNotContain("event:");
        }
    }

    @Test
    void a_client_that_has_gone_is_found_out_by_the_heartbeat_and_wakes_the_source() throws Exception {
        var started = new CountDownLatch(1);
        var gone = new CountDownLatch(1);
        EventSource source = stream -> {
            started.countDown();
            new CountDownLatch(1).await();
        };
        var route = Route.get("/public/events", request -> new Reply.Events(source, gone::countDown))
                .withEvents(Streaming.ALWAYS);
        try (var server = TestServer.with(route)) {
            var client = new Raw(server.port());
            client.send(GET);
            started.await();
            client.reset();
            while (gone.getCount() > 0) { // the first write after a reset may still succeed
                server.beats.next();
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void a_client_that_has_gone_is_found_out_by_the_next_event() throws Exception {
        var started = new CountDownLatch(1);
        var gone = new CountDownLatch(1);
        EventSource source = stream -> {
            started.countDown();
            while (true) stream.send(Event.of("tick", Map.of()));
        };
        var route = Route.get("/public/events", request -> new Reply.Events(source, gone::countDown))
                .withEvents(Streaming.ALWAYS);
        try (var server = TestServer.with(route)) {
            var client = new Raw(server.port());
            client.send(GET);
            started.await();
            client.reset();
            gone.await();
        }
    }

    @Test
    void a_stream_whose_right_has_gone_says_so_whatever_the_interrupt_came_out_as() throws Exception {
        var started = new CountDownLatch(1);
        var route = events(stream -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BackendUnavailable("database: could not find it (no connection)", e);
            }
        });
        try (var server = TestServer.with(route);
                var client = new Raw(server.port())) {
            client.send(GET);
            started.await();
            server.lock();
            server.server().recheckStreams();
            assertThat(client.readToEnd()).contains("event: error\n", "\"status\":403");
        }
    }

    @Test
    void what_is_known_before_the_start_is_a_proper_status() {
        var route = Route.get("/public/events", request -> {
                    throw new NotFound("No such thing");
                })
                .withEvents(Streaming.ALWAYS);
        try (var server = TestServer.with(route)) {
            var response = server.get("/public/events");
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
        }
    }

    @Test
    void what_goes_wrong_later_is_an_event() {
        var refused = events(stream -> {
            throw new Conflict("Not now");
        });
        try (var server = TestServer.with(refused)) {
            assertThat(server.get("/public/events").text())
                    .startsWith("event: error\n")
                    .contains("\"code\":\"conflict\"");
        }
        var broken = events(stream -> {
            throw new IllegalStateException("secret inside");
        });
        try (var server = TestServer.with(broken)) {
            assertThat(server.get("/public/events").text())
                    .contains("\"code\":\"internal\"")
                    .doesNotContain("secret inside");
        }
    }

    @Test
    void one_stream_too_many_is_429_before_the_handler_acts() {
        var done = new CountDownLatch(1);
        var settings =
                new HttpSettings("127.0.0.1", 0, Set.of(), Set.of(), 1, HttpSettings.GRACE, HttpSettings.HEARTBEAT);
        try (var server = TestServer.with(settings, events(stream -> {
                    stream.send(Event.of("hello", Map.of()));
                    done.await();
                }));
                var first = new Raw(server.port())) {
            first.send(GET);
            first.readUntil("data: {}\n\n");
            var second = server.get("/public/events");
            assertThat(second.status()).isEqualTo(429);
            assertThat(second.header("Retry-After")).isNotEmpty();
            done.countDown();
            first.readToEnd();
            assertThat(server.get("/public/events").status()).isEqualTo(200);
        }
    }

    @Test
    void a_closing_server_ends_streams_at_once_and_says_so() {
        var server = TestServer.with(events(stream -> {
            stream.send(Event.of("hello", Map.of()));
            new CountDownLatch(1).await();
        }));
        try (var client = new Raw(server.port())) {
            client.send(GET);
            client.readUntil("data: {}\n\n");
            server.close();
            assertThat(client.readToEnd()).contains("event: error").contains("backend_unavailable");
        }
    }

    @Test
    void a_closing_server_interrupts_requests_when_the_grace_is_over() throws Exception {
        var started = new CountDownLatch(1);
        var settings =
                new HttpSettings("127.0.0.1", 0, Set.of(), Set.of(), 1, Duration.ofMillis(1), HttpSettings.HEARTBEAT);
        var server = TestServer.with(settings, Route.get("/public/long", request -> {
            started.countDown();
            new CountDownLatch(1).await();
            return Reply.noContent();
        }));
        try (var client = new Raw(server.port())) {
            client.send(Raw.request("GET /public/long"));
            started.await();
            server.close();
            assertThat(client.readToEnd()).startsWith("HTTP/1.1 503 ").contains("\"code\":\"backend_unavailable\"");
        }
    }

    @Test
    void a_closing_server_lets_requests_finish_within_the_grace() throws Exception {
        var started = new CountDownLatch(1);
        var finish = new CountDownLatch(1);
        var server = TestServer.with(Route.get("/public/short", request -> {
            started.countDown();
            finish.await();
            return Reply.ok(Map.of("finished", true));
        }));
        try (var client = new Raw(server.port())) {
            client.send(Raw.request("GET /public/short"));
            started.await();
            var closing = Thread.ofVirtual().start(server::close);
            finish.countDown();
            assertThat(client.readToEnd()).startsWith("HTTP/1.1 200 ").contains("finished");
            closing.join();
        }
    }

    private static Route events(EventSource source) {
        return Route.get("/public/events", request -> new Reply.Events(source, () -> {}))
                .withEvents(Streaming.ALWAYS);
    }
}
