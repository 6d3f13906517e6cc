package hermit.backend.docker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/// The local engine over a slow line: the first request of a kind is held back, then sent in part, then in full. So
/// what another client does in between is between. Or requests of the kind are answered in the engine's place.
final class HeldEngine implements AutoCloseable {
    /// Of what follows a request's head: so much is sent as its part.
    private static final int PART = 60_000;

    private final ServerSocket server;
    private final Pattern held;
    private volatile Optional<String> answer = Optional.empty();
    private final AtomicBoolean holding = new AtomicBoolean(true);
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final CountDownLatch partAllowed = new CountDownLatch(1);
    private final CountDownLatch partSent = new CountDownLatch(1);
    private final CountDownLatch allowed = new CountDownLatch(1);

    /// `held`: found in the request line, e.g. `POST /v1.41/containers/0a1b/start HTTP/1.1`.
    HeldEngine(String held) {
        this.held = Pattern.compile(held);
        try {
            server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    URI endpoint() {
        return URI.create("tcp://127.0.0.1:" + server.getLocalPort());
    }

    void awaitHeld() throws InterruptedException {
        arrived.await();
    }

    /// From now on requests of the kind do not reach the engine: they get these bytes, one for each character.
    void answerInstead(String answer) {
        this.answer = Optional.of(answer);
    }

    void letThrough() {
        holding.set(false);
        answer = Optional.empty();
    }

    /// Sends the held request without the rest of its body; all of it if it has none.
    void sendPart() throws InterruptedException {
        partAllowed.countDown();
        partSent.await();
    }

    void sendRest() {
        allowed.countDown();
    }

    @Override
    public void close() throws IOException {
        partAllowed.countDown();
        allowed.countDown();
        server.close();
    }

    private void accept() {
        try {
            while (true) {
                var client = server.accept();
                Thread.ofVirtual().start(() -> forward(client));
            }
        } catch (IOException _) {
            // Closed.
        }
    }

    private void forward(Socket client) {
        try (client;
                var engine = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            engine.connect(UnixDomainSocketAddress.of(TestDocker.ENDPOINT.getPath()));
            Thread.ofVirtual().start(() -> up(client, engine));
            Channels.newInputStream(engine).transferTo(client.getOutputStream());
        } catch (IOException _) {
            // A client that gave up.
        }
    }

    private void up(Socket client, SocketChannel engine) {
        try {
            var in = client.getInputStream();
            var out = Channels.newOutputStream(engine);
            byte[] head = head(in);
            String text = new String(head, StandardCharsets.ISO_8859_1);
            boolean kind = held.matcher(text.lines().findFirst().orElse("")).find();
            if (kind && answer.isPresent()) {
                client.getOutputStream().write(answer.get().getBytes(StandardCharsets.ISO_8859_1));
                client.close();
                return;
            }
            boolean hold = kind && holding.getAndSet(false);
            if (hold) {
                arrived.countDown();
                partAllowed.await();
            }
            out.write(head);
            if (hold) {
                boolean body = text.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked");
                if (body) out.write(in.readNBytes(PART));
                partSent.countDown();
                allowed.await();
            }
            in.transferTo(out);
        } catch (IOException _) {
            // One side is gone, which the other way sees as well.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Up to the empty line. One request comes on each connection.
    private static byte[] head(InputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        int ends = 0;
        while (ends < 4) {
            int next = in.read();
            if (next < 0) break;
            head.write(next);
            ends = next == "\r\n\r\n".charAt(ends) ? ends + 1 : next == '\r' ? 1 : 0;
        }
        return head.toByteArray();
    }
}
