package hermit.backend.docker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import javax.net.ServerSocketFactory;

/// The local engine as a remote one: its socket, forwarded from a TCP port of the loopback interface, with or without
/// TLS.
final class TcpEngine implements AutoCloseable {
    private final ServerSocket server;

    TcpEngine(ServerSocketFactory sockets) {
        try {
            server = sockets.createServerSocket(0, 0, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    URI endpoint() {
        return URI.create("tcp://127.0.0.1:" + server.getLocalPort());
    }

    @Override
    public void close() throws IOException {
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

    private static void forward(Socket client) {
        try (client;
                var engine = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            engine.connect(UnixDomainSocketAddress.of(TestDocker.ENDPOINT.getPath()));
            var up = Thread.ofVirtual().start(() -> up(client, engine));
            carry(Channels.newInputStream(engine), client.getOutputStream());
            client.close();
            up.join();
        } catch (IOException _) {
            // A client that gave up, or whose certificate was refused.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void up(Socket client, SocketChannel engine) {
        try {
            try {
                carry(client.getInputStream(), Channels.newOutputStream(engine));
                engine.shutdownOutput();
            } catch (IOException _) {
                engine.close(); // one side is gone, so the other way ends, too
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void carry(InputStream from, OutputStream to) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
            to.write(buffer, 0, n);
            to.flush();
        }
    }
}
