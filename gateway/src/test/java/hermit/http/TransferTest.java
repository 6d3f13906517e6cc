package hermit.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.http.TestClient.Answer;
import hermit.problem.GatewayException.ProviderError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Bodies and answers of any size.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TransferTest {
    private static final int MANY = 40 << 20;

    private static Reply count(Request request) {
        Upload upload = request.upload();
        long count = 0;
        byte[] buffer = new byte[64 << 10];
        try {
            for (int got = upload.content().read(buffer);
                    got >= 0;
                    got = upload.content().read(buffer)) count += got;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Reply.ok(Map.of("count", count, "announced", upload.length().orElse(-1)));
    }

    /// Pieces of a size, as many as there are permits; then it fails, if it should.
    private static final class Source implements Pieces {
        final AtomicInteger given = new AtomicInteger();
        final CountDownLatch closed = new CountDownLatch(1);
        private final int size;
        private final int pieces;
        private final boolean fails;

        Source(int size, int pieces, boolean fails) {
            this.size = size;
            this.pieces = pieces;
            this.fails = fails;
        }

        @Override
        public Optional<byte[]> next() {
            if (given.get() < pieces) {
                given.incrementAndGet();
                return Optional.of(new byte[size]);
            }
            if (fails) throw new ProviderError("the sandbox is gone");
            return Optional.empty();
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    private static Route download(Source source, OptionalLong length) {
        return Route.get(
                "/public/f", _ -> new Reply.Download(200, "application/octet-stream", "a b", length, Map.of(), source));
    }

    @Test
    void an_upload_may_have_any_type_and_size_and_need_not_say_its_length() {
        try (var server =
                TestServer.with(Route.put("/public/f", TransferTest::count).withUpload())) {
            var known = server.request("/public/f")
                    .header("Content-Type", "image/png")
                    .PUT(BodyPublishers.ofByteArray(new byte[MANY]));
            assertThat(server.send(known).object()).containsEntry("count", MANY).containsEntry("announced", MANY);
            var unknown = server.request("/public/f")
                    .PUT(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[MANY])));
            assertThat(server.send(unknown).object())
                    .containsEntry("count", MANY)
                    .containsEntry("announced", -1);
            var none = server.request("/public/f").PUT(BodyPublishers.noBody());
            assertThat(server.send(none).object()).containsEntry("count", 0);
        }
    }

    @Test
    void an_upload_that_is_cut_off_is_an_error_and_not_an_end() {
        try (var server = TestServer.with(
                        Route.put("/public/f", TransferTest::count).withUpload());
                var raw = new Raw(server.port())) {
            raw.send(Raw.request("PUT /public/f", "Content-Length: 100") + "only this");
            raw.endOutput();
            assertThat(raw.readToEnd()).startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void a_client_that_sends_nothing_more_is_cut_off() {
        try (var server = TestServer.with(
                        Route.put("/public/f", TransferTest::count).withUpload());
                var raw = new Raw(server.port())) {
            raw.send(Raw.request("PUT /public/f", "Content-Length: 100") + "only this");
            server.beats.always();
            assertThat(raw.readToEnd()).isEmpty();
        }
    }

    @Test
    void a_client_that_waits_for_a_slow_handler_is_not() throws Exception {
        var all = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var route = Route.put("/public/f", request -> {
            Reply reply = count(request);
            all.countDown();
            go.await();
            return reply;
        });
        try (var server = TestServer.with(route.withUpload());
                var raw = new Raw(server.port())) {
            raw.send(Raw.request("PUT /public/f", "Transfer-Encoding: chunked") + "4\r\nfour\r\n0\r\n\r\n");
            all.await();
            server.beats.always();
            while (server.beats.taken() < 20) Thread.onSpinWait();
            go.countDown();
            assertThat(raw.readToEnd()).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void a_client_that_takes_nothing_more_is_cut_off_and_the_source_closed() throws Exception {
        var source = new Source(1 << 20, 1_000, false);
        try (var server = TestServer.with(download(source, OptionalLong.empty()));
                var raw = new Raw(server.port())) {
            raw.send(Raw.request("GET /public/f"));
            server.beats.always();
            source.closed.await();
            // What the sockets hold, and not what there was.
            assertThat(source.given.get()).isLessThan(100);
        }
    }

    @Test
    void a_client_that_goes_away_closes_the_source() throws Exception {
        var source = new Source(1 << 20, Integer.MAX_VALUE, false);
        try (var server = TestServer.with(download(source, OptionalLong.empty()));
                var raw = new Raw(server.port())) {
            raw.send(Raw.request("GET /public/f"));
            raw.readUntil("\r\n\r\n");
            raw.reset();
            source.closed.await();
        }
    }

    @Test
    void a_source_that_fails_ends_the_connection_without_the_last_chunk() throws Exception {
        var source = new Source(100_000, 3, true);
        try (var server = TestServer.with(download(source, OptionalLong.empty()))) {
            String answer = server.raw(Raw.request("GET /public/f"));
            assertThat(answer).doesNotEndWith("0\r\n\r\n");
            source.closed.await();
        }
    }

    @Test
    void a_source_that_is_shorter_than_announced_does_not_look_whole() {
        try (var server = TestServer.with(download(new Source(10, 1, true), OptionalLong.of(11)))) {
            String answer = server.raw(Raw.request("GET /public/f"));
            if (!answer.isEmpty()) assertThat(answer).startsWith("HTTP/1.1 200").contains("Content-Length: 11");
        }
    }

    @Test
    void head_asks_for_no_bytes_and_still_closes_the_source() throws Exception {
        var source = new Source(10, 1, false);
        try (var server = TestServer.with(download(source, OptionalLong.of(10)))) {
            var head = server.request("/public/f").method("HEAD", BodyPublishers.noBody());
            Answer answer = server.send(head);
            assertThat(answer.header("Content-Length")).isEqualTo("10");
            assertThat(answer.header("Content-Disposition")).isEqualTo("attachment; filename*=UTF-8''a%20b");
            source.closed.await();
            assertThat(source.given).hasValue(0);
        }
    }
}
