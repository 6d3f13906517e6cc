package hermit.backend.tenki;

import hermit.problem.GatewayException.BackendUnavailable;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// Connections, one for each server. What was used longest ago makes room; calls that are open on it go on.
final class Channels implements AutoCloseable {
    /// Larger than anything that is asked for; the library's own limit is 4 MiB, and its message for that looks like a
    /// quota.
    static final int LARGEST_MESSAGE = 16 << 20;

    private static final int MOST = 64;
    private static final int HTTP = 80;
    private static final int HTTPS = 443;
    /// The provider's edge cuts connections that are quiet for about 30 s.
    private static final int KEEP_ALIVE_SECONDS = 30;

    private static final int KEEP_ALIVE_TIMEOUT_SECONDS = 5;
    private static final int IDLE_MINUTES = 5;
    private static final Pattern PATH = Pattern.compile("[A-Za-z0-9._~/-]*");

    private final Map<String, ManagedChannel> channels = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    synchronized ManagedChannel to(URI server) {
        if (closed) throw new BackendUnavailable("the connection to Tenki was closed");
        var channel = channels.computeIfAbsent(origin(server), _ -> open(server));
        for (Iterator<ManagedChannel> each = channels.values().iterator(); channels.size() > MOST; ) {
            each.next().shutdown();
            each.remove();
        }
        return channel;
    }

    /// What is wrong with an address; empty if nothing is.
    static String problem(URI server) {
        String scheme = String.valueOf(server.getScheme());
        if (!scheme.equals("https") && !scheme.equals("http")) return "it is neither http nor https";
        if (server.getHost() == null) return "it has no host";
        if (server.getRawUserInfo() != null || server.getRawQuery() != null || server.getRawFragment() != null)
            return "it has more than a host, a port and a path";
        if (!PATH.matcher(String.valueOf(server.getRawPath())).matches()) return "its path is not a plain one";
        return "";
    }

    /// A server may be below a path, e.g. `/s/abc/`: the method's own path comes after it.
    static <Q, A> MethodDescriptor<Q, A> below(URI server, MethodDescriptor<Q, A> method) {
        String path = server.getRawPath();
        if (path == null || path.isEmpty() || path.equals("/")) return method;
        String prefix = path.substring(1) + (path.endsWith("/") ? "" : "/");
        return method.toBuilder()
                .setFullMethodName(prefix + method.getFullMethodName())
                .build();
    }

    private static String origin(URI server) {
        return "%s://%s:%d".formatted(server.getScheme(), server.getHost(), port(server));
    }

    private static int port(URI server) {
        if (server.getPort() > 0) return server.getPort();
        return server.getScheme().equals("http") ? HTTP : HTTPS;
    }

    private static ManagedChannel open(URI server) {
        var builder = NettyChannelBuilder.forAddress(server.getHost(), port(server))
                .maxInboundMessageSize(LARGEST_MESSAGE)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .idleTimeout(IDLE_MINUTES, TimeUnit.MINUTES)
                // What may be repeated is decided here, where it is known what was done.
                .disableRetry()
                .userAgent("hermit");
        if (server.getScheme().equals("http")) builder.usePlaintext();
        return builder.build();
    }

    /// Everything that is open ends at once.
    @Override
    public synchronized void close() {
        closed = true;
        channels.values().forEach(ManagedChannel::shutdownNow);
        channels.clear();
    }
}
