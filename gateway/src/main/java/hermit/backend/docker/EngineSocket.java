package hermit.backend.docker;

import com.github.dockerjava.core.LocalDirectorySSLConfig;
import com.github.dockerjava.transport.SSLConfig;
import com.github.dockerjava.transport.UnixSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSocket;

/// Opens plain connections to the engine, by whatever its address needs.
final class EngineSocket {
    private final URI endpoint;
    private final Optional<SSLConfig> tls;
    private final Duration limit;

    /// Throws [IllegalArgumentException] if a certificate is missing: the library would go on without TLS.
    EngineSocket(URI endpoint, Optional<Path> tlsDirectory, Duration limit) {
        this.endpoint = endpoint;
        this.limit = limit;
        this.tls = tlsDirectory.map(directory -> {
            for (String name : List.of("ca.pem", "cert.pem", "key.pem"))
                if (!Files.isReadable(directory.resolve(name)))
                    throw new IllegalArgumentException("no readable %s in %s".formatted(name, directory));
            return new LocalDirectorySSLConfig(directory.toString());
        });
    }

    /// How the client library does TLS; empty for an engine that is reached over TCP without.
    Optional<SSLConfig> tls() {
        return isUnix() ? Optional.of(NoTls::new) : tls;
    }

    /// The `Host` header.
    String host() {
        return isUnix() ? "docker" : endpoint.getAuthority();
    }

    /// Path prefix of an engine behind a proxy; mostly empty.
    String prefix() {
        if (isUnix()) return "";
        String path = endpoint.getRawPath();
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    Socket open() throws IOException {
        if (isUnix()) return UnixSocket.get(endpoint.getPath());
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(endpoint.getHost(), endpoint.getPort()), (int) limit.toMillis());
            socket.setTcpNoDelay(true); // many small frames, each waited for
            return tls.isPresent() ? secure(socket, tls.get()) : socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private boolean isUnix() {
        return "unix".equals(endpoint.getScheme());
    }

    private Socket secure(Socket socket, SSLConfig config) throws IOException {
        try {
            var secured = (SSLSocket) config.getSSLContext()
                    .getSocketFactory()
                    .createSocket(socket, endpoint.getHost(), endpoint.getPort(), true);
            var parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
            secured.startHandshake();
            return secured;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS with " + endpoint + ": " + e.getMessage(), e);
        }
    }
}
