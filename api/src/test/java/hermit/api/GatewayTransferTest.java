package hermit.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import hermit.api.GatewayClientException.Refused;
import hermit.api.GatewayClientException.Unreachable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files to and from a server that says exactly what a test wants it to.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GatewayTransferTest {
    private final ServerSocket server = listen();
    private final CompletableFuture<String> received = new CompletableFuture<>();

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /// Answers one request after its head; then reads on until the client is done, if it should.
    private GatewayClient answering(String answer, boolean readsBody) {
        Thread.ofVirtual().start(() -> {
            try (var socket = server.accept()) {
                server.close(); // a client that asks again finds nobody
                var request = new ByteArrayOutputStream();
                InputStream in = socket.getInputStream();
                while (!request.toString(ISO_8859_1).endsWith("\r\n\r\n")) request.write(nextOf(in));
                if (readsBody) {
                    socket.getOutputStream().write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
                    int next = in.read();
                    for (; next >= 0; next = in.read()) {
                        request.write(next);
                        if (request.toString(ISO_8859_1).endsWith("the end")) break;
                    }
                }
                received.complete(request.toString(ISO_8859_1));
                socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
                socket.shutdownOutput();
                while (in.read() >= 0) {}
            } catch (IOException e) {
                received.completeExceptionally(e);
            }
        });
        return new GatewayClient(URI.create("http://127.0.0.1:" + server.getLocalPort()), Optional.of("secret"));
    }

    private static int nextOf(InputStream in) throws IOException {
        int next = in.read();
        if (next < 0) throw new IOException("the client has gone");
        return next;
    }

    private static GatewayUpload upload(GatewayUpload.Source source) {
        return new GatewayUpload("application/x-tar", OptionalLong.empty(), source);
    }

    @Test
    void a_file_comes_with_its_length() throws Exception {
        var client = answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", false);
        try (var download = client.download("/x")) {
            assertThat(download.length()).hasValue(3);
            assertThat(download.readAllBytes()).isEqualTo("abc".getBytes(UTF_8));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nabc",
                "HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
            })
    void a_file_that_breaks_off_is_never_taken_for_the_whole(String answer) throws Exception {
        try (var download = answering(answer, false).download("/x")) {
            assertThatThrownBy(download::readAllBytes).isInstanceOf(GatewayDownload.Broken.class);
        }
    }

    @Test
    void an_error_before_a_file_is_thrown() {
        var client = answering(
                "HTTP/1.1 404 Not Found\r\nContent-Length: 34\r\n\r\n{\"status\":404,\"code\":\"not_found\"}  ", false);
        assertThatThrownBy(() -> client.download("/x"))
                .asInstanceOf(type(Refused.class))
                .satisfies(refused -> assertThat(refused.code()).isEqualTo("not_found"));
    }

    @Test
    void an_upload_says_its_type_and_ends_when_its_source_does() throws Exception {
        var client = answering("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}", true);
        var answer = client.upload("/x", upload(out -> out.write("this is the end".getBytes(UTF_8))));
        assertThat(answer.path("a").asInt()).isEqualTo(1);
        assertThat(received.get())
                .startsWith("PUT /x HTTP/1.1\r\n")
                .contains("Content-Type: application/x-tar\r\n")
                .contains("Authorization: Bearer secret\r\n");
    }

    @Test
    void a_refusal_comes_before_anything_has_been_sent() {
        var client = answering(
                "HTTP/1.1 409 Conflict\r\nContent-Length: 32\r\n\r\n{\"status\":409,\"code\":\"conflict\"} ", false);
        assertThatThrownBy(() -> client.upload("/x", upload(out -> {
                    throw new AssertionError("nothing was to be sent");
                })))
                .isInstanceOf(Refused.class);
    }

    @Test
    void a_source_that_fails_is_the_callers_and_its_body_is_seen_to_be_cut_off() throws Exception {
        var client = answering("", true);
        assertThatThrownBy(() -> client.upload("/x", upload(out -> {
                    out.write("some".getBytes(UTF_8));
                    throw new IOException("the disk is gone");
                })))
                .isInstanceOf(IOException.class)
                .hasMessage("the disk is gone");
        assertThat(received.get()).doesNotEndWith("0\r\n\r\n");
    }

    @Test
    void a_gateway_that_goes_away_is_unreachable() {
        var client = answering("", false);
        assertThatThrownBy(() -> client.download("/x")).isInstanceOf(Unreachable.class);
    }
}
