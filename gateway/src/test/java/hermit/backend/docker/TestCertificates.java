package hermit.backend.docker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;

/// Keys of a TLS engine and of its one client, made with the JDK's own tool.
final class TestCertificates {
    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final String ALIAS = "key";

    private final KeyStore server;
    private final KeyStore client;

    /// `name`: what the server's certificate is for, e.g. `ip:127.0.0.1`.
    TestCertificates(Path scratch, String name) throws Exception {
        server = make(scratch.resolve("server.p12"), name);
        client = make(scratch.resolve("client.p12"), "dns:client");
    }

    /// Writes what the Docker CLI's `DOCKER_CERT_PATH` would hold.
    Path writeTo(Path directory) throws Exception {
        Files.createDirectories(directory);
        pem(
                directory.resolve("ca.pem"),
                "CERTIFICATE",
                server.getCertificate(ALIAS).getEncoded());
        pem(
                directory.resolve("cert.pem"),
                "CERTIFICATE",
                client.getCertificate(ALIAS).getEncoded());
        pem(
                directory.resolve("key.pem"),
                "PRIVATE KEY",
                client.getKey(ALIAS, PASSWORD).getEncoded());
        return directory;
    }

    /// Makes sockets that only take the client that has its key.
    ServerSocketFactory sockets() throws GeneralSecurityException, IOException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(server, PASSWORD);
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("client", client.getCertificate(ALIAS));
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        var factory = context.getServerSocketFactory();
        return new ServerSocketFactory() {
            @Override
            public ServerSocket createServerSocket(int port) throws IOException {
                return strict(factory.createServerSocket(port));
            }

            @Override
            public ServerSocket createServerSocket(int port, int backlog) throws IOException {
                return strict(factory.createServerSocket(port, backlog));
            }

            @Override
            public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
                return strict(factory.createServerSocket(port, backlog, address));
            }
        };
    }

    private static ServerSocket strict(ServerSocket socket) {
        ((SSLServerSocket) socket).setNeedClientAuth(true);
        return socket;
    }

    private static KeyStore make(Path file, String name) throws Exception {
        var tool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=test",
                        "-ext",
                        "san=" + name,
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .inheritIO()
                .start();
        if (tool.waitFor() != 0) throw new AssertionError("keytool failed");
        return KeyStore.getInstance(file.toFile(), PASSWORD);
    }

    private static void pem(Path file, String kind, byte[] bytes) throws IOException {
        Files.writeString(
                file,
                "-----BEGIN %s-----%n%s%n-----END %s-----%n"
                        .formatted(kind, Base64.getMimeEncoder().encodeToString(bytes), kind));
    }
}
