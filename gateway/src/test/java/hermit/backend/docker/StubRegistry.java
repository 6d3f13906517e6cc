package hermit.backend.docker;

import hermit.backend.keeper.KeeperProgram;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;

/// A registry on the loopback interface, which engines take without TLS, with one image: `thing:1`, a
/// shell-less image of one incompressible layer.
final class StubRegistry implements AutoCloseable {
    /// First byte of a TLS connection.
    private static final int TLS = 0x16;

    private static final int LARGE = 100_000;
    private static final String MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json";

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, byte[]> blobs = new HashMap<>();
    private final byte[] manifest;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch layerAsked = new CountDownLatch(1);
    private final CountDownLatch layerReleased = new CountDownLatch(1);
    private volatile boolean held;

    StubRegistry(byte[] content) {
        byte[] tar = Tar.program("thing", content);
        byte[] layer = gzip(tar);
        byte[] config = """
                {"architecture":"%s","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}""".formatted(
                        System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64", KeeperProgram.digest(tar))
                .getBytes(StandardCharsets.UTF_8);
        blobs.put("sha256:" + KeeperProgram.digest(layer), layer);
        blobs.put("sha256:" + KeeperProgram.digest(config), config);
        manifest = """
                {"schemaVersion":2,"mediaType":"%s",
                 "config":{"mediaType":"application/vnd.docker.container.image.v1+json","size":%d,"digest":"sha256:%s"},
                 "layers":[{"mediaType":"application/vnd.docker.image.rootfs.diff.tar.gzip","size":%d,"digest":"sha256:%s"}]}""".formatted(
                        MANIFEST_TYPE,
                        config.length,
                        KeeperProgram.digest(config),
                        layer.length,
                        KeeperProgram.digest(layer))
                .getBytes(StandardCharsets.UTF_8);
        try {
            server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    String host() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    String image() {
        return host() + "/thing:1";
    }

    String digest() {
        return host() + "/thing@sha256:" + KeeperProgram.digest(manifest);
    }

    /// Paths that were asked for.
    List<String> requests() {
        return List.copyOf(requests);
    }

    /// Sends only half of the layer until it is released.
    void hold() {
        held = true;
    }

    void awaitLayerAsked() throws InterruptedException {
        layerAsked.await();
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }

    private void accept() {
        try {
            while (true) {
                var connection = server.accept();
                var _ = threads.submit(() -> answer(connection));
            }
        } catch (IOException _) {
            // The stub is closed.
        }
    }

    private boolean answer(Socket connection) throws IOException, InterruptedException {
        try (connection) {
            var in = connection.getInputStream();
            var head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int c = in.read();
                // Engines try TLS first, and give up at once when this is no answer.
                if (c < 0 || (head.isEmpty() && c == TLS)) return false;
                head.append((char) c);
            }
            String[] words = head.toString().split(" ", 3);
            requests.add(words[1]);
            answer(words[0].equals("HEAD"), words[1], connection.getOutputStream());
            return true;
        }
    }

    private void answer(boolean head, String path, OutputStream out) throws IOException, InterruptedException {
        String last = path.substring(path.lastIndexOf('/') + 1);
        if (path.equals("/v2/")) send(out, head, "200 OK", "application/json", "{}".getBytes(StandardCharsets.UTF_8));
        else if (path.startsWith("/v2/thing/manifests/")
                && (last.equals("1") || last.equals("sha256:" + KeeperProgram.digest(manifest))))
            send(out, head, "200 OK", MANIFEST_TYPE, manifest);
        else if (path.startsWith("/v2/thing/blobs/") && blobs.containsKey(last))
            send(out, head, "200 OK", "application/octet-stream", blobs.getOrDefault(last, new byte[0]));
        else
            send(
                    out,
                    head,
                    "404 Not Found",
                    "application/json",
                    "{\"errors\":[{\"code\":\"MANIFEST_UNKNOWN\",\"message\":\"manifest unknown\"}]}"
                            .getBytes(StandardCharsets.UTF_8));
    }

    private void send(OutputStream out, boolean head, String status, String type, byte[] body)
            throws IOException, InterruptedException {
        String lines = """
                HTTP/1.1 %s
                Content-Type: %s
                Content-Length: %d
                Docker-Content-Digest: sha256:%s
                Connection: close

                """.formatted(status, type, body.length, KeeperProgram.digest(body));
        out.write(lines.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
        if (head) return;
        int first = held && body.length > LARGE ? body.length / 2 : body.length;
        out.write(body, 0, first);
        out.flush();
        if (first == body.length) return;
        layerAsked.countDown();
        layerReleased.await();
    }

    private static byte[] gzip(byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
