package hermit.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import hermit.api.GatewayClientException.Unreachable;
import hermit.api.GatewayClientException.Unreachable.Stage;
import hermit.api.GatewayClientSocket.Frame;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/// What a connection does over which nothing comes. What it does with frames is tested where a whole gateway
/// is faked, in the command line.
@DisplayNameGeneration(ReplaceUnderscores.class)
class GatewayClientSocketTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    /// Longer than any machine takes to answer a ping of its own.
    private static final Duration LONGER = Duration.ofSeconds(1);
    private static final int PING = 0x89;
    private static final byte[] PONG = {(byte) 0x8A, 0};
    private static final byte[] TEXT = {(byte) 0x81, 2, '{', '}'};

    private final ServerSocket server = listen();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        threads.shutdownNow();
    }

    private GatewayClientSocket open(Duration silence) throws Exception {
        var address = URI.create("http://127.0.0.1:" + server.getLocalPort() + "/");
        return GatewayClientSocket.open(address, Optional.empty(), Duration.ofSeconds(5), silence);
    }

    private static Socket upgraded(ServerSocket server) throws Exception {
        Socket socket = server.accept();
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
        var key = "";
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine())
            if (line.regionMatches(true, 0, "sec-websocket-key:", 0, 18))
                key = line.substring(18).strip();
        byte[] hash = MessageDigest.getInstance("SHA-1")
                .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(ISO_8859_1));
        socket.getOutputStream()
                .write(("HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                                + Base64.getEncoder().encodeToString(hash) + "\r\n\r\n")
                        .getBytes(ISO_8859_1));
        return socket;
    }

    @Test
    void one_that_answers_no_ping_is_gone() throws Exception {
        var there = threads.submit(() -> upgraded(server));
        try (var socket = open(SHORT);
                var _ = there.get()) {
            assertThatThrownBy(socket::next)
                    .asInstanceOf(type(Unreachable.class))
                    .satisfies(lost -> assertThat(lost.stage()).isEqualTo(Stage.WAITING));
        }
    }

    @Test
    void one_that_answers_pings_may_be_silent_for_as_long_as_it_likes() throws Exception {
        var serving = threads.submit(() -> {
            var there = upgraded(server);
            for (int pings = 0; pings < 2; ) {
                int first = there.getInputStream().read();
                if (first < 0) return null;
                // A ping of a client: its length with the mask bit, and the mask.
                there.getInputStream().readNBytes(5);
                if (first == PING) pings++;
                there.getOutputStream().write(PONG);
            }
            there.getOutputStream().write(TEXT);
            return null;
        });
        try (var socket = open(LONGER)) {
            assertThat(socket.next()).isEqualTo(new Frame.Message(JsonTree.object()));
        }
        serving.get();
    }
}
