package hermit.http;

import java.time.Duration;
import java.util.Set;

/// Where the server listens and what it bears.
///
/// - `port`: 0 for any free one.
/// - `allowedHosts`: further names that it may be called by, besides those of loopback and `host` itself.
/// - `allowedOrigins`: web origins, as in `https://hermit.example:8443`, that may send requests that change
///   something.
/// - `trustedProxies`: addresses and networks whose word is taken for where a caller is.
/// - `maxStreams`: how many event streams and sockets may be open at once; `maxStreamsPerCaller`: of one caller, unless
/// that is the admin.
/// - `grace`: how long requests in progress may go on when the server closes.
/// - `heartbeat`: how often a comment is sent on an event stream.
public record HttpSettings(
        String host,
        int port,
        Set<String> allowedHosts,
        Set<String> allowedOrigins,
        Set<String> trustedProxies,
        int maxStreams,
        int maxStreamsPerCaller,
        Duration grace,
        Duration heartbeat) {
    /// Proxies cut connections that are silent for 30 to 60 s.
    public static final Duration HEARTBEAT = Duration.ofSeconds(15);
    /// Two thousand idle streams cost about as much memory as the idle gateway itself.
    public static final int MAX_STREAMS = 2_000;

    public static final int MAX_STREAMS_PER_CALLER = 100;

    public static final Duration GRACE = Duration.ofSeconds(10);

    public HttpSettings {
        if (port < 0 || port > 65_535) throw new IllegalArgumentException("port " + port);
        if (maxStreams < 1) throw new IllegalArgumentException("maxStreams " + maxStreams);
        if (maxStreamsPerCaller < 1) throw new IllegalArgumentException("maxStreamsPerCaller " + maxStreamsPerCaller);
        allowedHosts = Set.copyOf(allowedHosts);
        allowedOrigins = Set.copyOf(allowedOrigins);
        trustedProxies = Set.copyOf(trustedProxies);
    }

    /// Behind no proxy.
    public HttpSettings(
            String host,
            int port,
            Set<String> allowedHosts,
            Set<String> allowedOrigins,
            int maxStreams,
            Duration grace,
            Duration heartbeat) {
        this(host, port, allowedHosts, allowedOrigins, Set.of(), maxStreams, MAX_STREAMS_PER_CALLER, grace, heartbeat);
    }

    /// With no further hosts and origins, and the usual limits.
    public static HttpSettings on(String host, int port) {
        return new HttpSettings(host, port, Set.of(), Set.of(), MAX_STREAMS, GRACE, HEARTBEAT);
    }
}
