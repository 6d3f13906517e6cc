package hermit.backend.docker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;

/// A registry on the loopback interface, which engines take without TLS, with one image: `thing:1`, a shell-less image
/// of
/// one incompressible layer.
final class StubRegistry implements AutoCloseable {
    private static final String MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json";

    private final HttpServer server;
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
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
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
    public void close() {
        layerReleased.countDown();
        threads.shutdownNow();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        requests.add(path);
        String last = path.substring(path.lastIndexOf('/') + 1);
        if (path.equals("/v2/")) send(exchange, 200, "application/json", new byte[] {'{', '}'});
        else if (path.startsWith("/v2/thing/manifests/")
                && (last.equals("1") || last.equals("sha256:" + KeeperProgram.digest(manifest))))
            send(exchange, 200, MANIFEST_TYPE, manifest);
        else if (path.startsWith("/v2/thing/blobs/") && blobs.containsKey(last))
            send(exchange, 200, "application/octet-stream", blobs.getOrDefault(last, new byte[0]));
        else
            send(
                    exchange,
                    404,
                    "application/json",
                    "{\"errors\":[{\"code\":\"MANIFEST_UNKNOWN\",\"message\":\"manifest unknown\"}]}"
                            .getBytes(StandardCharsets.UTF_8));
    }

    private void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", type);
            exchange.getResponseHeaders().add("Docker-Content-Digest", "sha256:" + KeeperProgram.digest(body));
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(status, head ? -1 : body.length);
            if (head) return;
            int first = held && body.length > 100_000 ? body.length / 2 : body.length;
            exchange.getResponseBody().write(body, 0, first);
            exchange.getResponseBody().flush();
            if (first == body.length) return;
            layerAsked.countDown();
            layerReleased.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
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
