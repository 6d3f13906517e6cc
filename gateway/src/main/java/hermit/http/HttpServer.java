package hermit.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import hermit.access.Guard;
import hermit.access.RoutePolicies;
import hermit.access.RoutePolicy;
import hermit.api.ApiJson;
import hermit.api.Problem;
import hermit.problem.ProblemCode;
import hermit.world.World;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import io.javalin.http.MethodNotAllowedResponse;
import io.javalin.websocket.WsHandlerType;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.ee10.servlet.SessionHandler;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.session.NullSessionCache;
import org.eclipse.jetty.session.NullSessionDataStore;
import org.eclipse.jetty.util.component.Graceful;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The listening server. Requests are answered on virtual threads; a handful of others watch the sockets.
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    /// Headers of a request, all together. A token has 50 bytes, and browsers send cookies of other ports'
    /// servers, too.
    private static final int MAX_HEADERS = 16 << 10;
    /// How long requests that were interrupted may take to say so.
    private static final long LAST_WORDS_MILLIS = 2_000;

    /// Connections that clients keep open for later hold a server that is closing no longer than this.
    private static final long IDLE_WHILE_CLOSING_MILLIS = 250;

    private final Javalin javalin;
    private final ExecutorService handlers;
    private final RunningRequests running;
    private final Rights rights;
    private final HttpSettings settings;

    private HttpServer(
            Javalin javalin, ExecutorService handlers, RunningRequests running, Rights rights, HttpSettings settings) {
        this.javalin = javalin;
        this.handlers = handlers;
        this.running = running;
        this.rights = rights;
        this.settings = settings;
    }

    /// Loads in the background what every server needs, by making one that is never started: Jetty asks for all
    /// locales of the JDK, for one, and that takes a tenth of a second. Needs not be called.
    public static void load() {
        Thread.ofPlatform().daemon().name("http-load").start(() -> {
            try (var nobody =
                    Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
                Javalin.create(config -> configure(config, HttpSettings.on("localhost", 0), nobody))
                        .jettyServer()
                        .server();
            }
        });
    }

    /// Listens when it returns. Throws [IllegalArgumentException] for a route without a policy or one that is
    /// there twice, and [io.javalin.util.JavalinBindException] if the port is taken.
    public static HttpServer start(
            HttpSettings settings,
            List<? extends Routes> features,
            RoutePolicies policies,
            Authenticator authenticator,
            Guard guard,
            RequestObserver observer,
            MeterRegistry meters,
            World world) {
        JsonMapper json = ApiJson.mapper();
        var running = new RunningRequests(settings.maxStreams(), settings.maxStreamsPerCaller());
        var rights = new Rights(authenticator, guard);
        var addresses = new ClientAddresses(settings.trustedProxies());
        var table = new RouteTable();
        var shared = new Shared(
                authenticator, rights, observer, addresses, running, table, json, world, settings.heartbeat());
        var reply = new CoreReply(json);
        var edge = new Edge(settings, reply, new HttpMetrics(meters, running), world, observer, addresses);
        var handlers = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("http-", 0).factory());
        var javalin = Javalin.create(config -> {
            configure(config, settings, handlers);
            config.jetty.modifyServer(server -> {
                server.setErrorHandler(new EdgeErrors(reply));
                server.insertHandler(edge);
                server.insertHandler(graceful());
            });
            for (Routes feature : features)
                for (Route route : feature.routes()) {
                    var call = new RouteCall(route, policy(policies, route), shared);
                    table.add(call);
                    add(config, call, shared);
                }
            config.routes.exception(RouteRunner.NoUpgrade.class, (_, _) -> {}); // it has been answered
            config.routes.exception(HttpResponseException.class, (e, context) -> noRoute(e, context, json));
        });
        javalin.start();
        return new HttpServer(javalin, handlers, running, rights, settings);
    }

    private static void configure(JavalinConfig config, HttpSettings settings, ExecutorService handlers) {
        config.startup.showJavalinBanner = false;
        config.startup.showOldJavalinVersionWarning = false;
        config.startup.startupWatcherEnabled = false;
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.http.prefer405over404 = true;
        config.router.ignoreTrailingSlashes = false;
        var threads = new QueuedThreadPool(8, 2, 60_000);
        threads.setName("http");
        threads.setDaemon(true);
        threads.setVirtualThreadsExecutor(handlers);
        config.jetty.threadPool = threads;
        config.jetty.host = settings.host();
        config.jetty.port = settings.port();
        config.jetty.modifyServletContextHandler(context -> context.setSessionHandler(noSessions()));
        config.jetty.modifyWebSocketServletFactory(sockets -> {
            sockets.setMaxTextMessageSize(SocketRunner.MAX_MESSAGE);
            sockets.setMaxBinaryMessageSize(SocketRunner.MAX_MESSAGE);
        });
        config.jetty.modifyHttpConfiguration(http -> {
            http.setSendServerVersion(false);
            http.setSendXPoweredBy(false);
            http.setRequestHeaderSize(MAX_HEADERS);
            // Paths that mean one thing to us and another to a proxy are refused, `%2e%2e` among them.
            http.setUriCompliance(UriCompliance.DEFAULT);
        });
    }

    /// The router asks for a servlet session at each handshake. It gets one that is forgotten at once, and no cookie.
    private static SessionHandler noSessions() {
        var sessions = new SessionHandler();
        sessions.setUsingCookies(false);
        var cache = new NullSessionCache(sessions);
        cache.setSessionDataStore(new NullSessionDataStore());
        sessions.setSessionCache(cache);
        return sessions;
    }

    /// Counts the requests in progress, and turns new ones away once the server is closing.
    private static GracefulHandler graceful() {
        var handler = new GracefulHandler();
        handler.setShutdownIdleTimeout(IDLE_WHILE_CLOSING_MILLIS);
        return handler;
    }

    private static RoutePolicy policy(RoutePolicies policies, Route route) {
        return policies.of(route.method().name(), route.path())
                .orElseThrow(() -> new IllegalArgumentException("no policy for route " + route));
    }

    private static void add(JavalinConfig config, RouteCall call, Shared shared) {
        Route route = call.route();
        var runner = new RouteRunner(call, shared);
        if (route.method() == Method.WS) {
            config.routes.addHttpHandler(HandlerType.WEBSOCKET_BEFORE_UPGRADE, route.path(), runner);
            config.routes.addWsHandler(WsHandlerType.WEBSOCKET, route.path(), new SocketRunner(shared)::configure);
            return;
        }
        config.routes.addHttpHandler(HandlerType.findOrCreate(route.method().name()), route.path(), runner);
        // Left to itself, the router answers every HEAD with 200 and asks nobody.
        if (route.method() == Method.GET && route.streaming() == Route.Streaming.NEVER)
            config.routes.addHttpHandler(HandlerType.HEAD, route.path(), runner);
    }

    /// The router found nothing to run.
    private static void noRoute(HttpResponseException e, Context context, JsonMapper json) {
        var answer = e instanceof MethodNotAllowedResponse
                ? Problems.of(
                        ProblemCode.NOT_FOUND,
                        405,
                        "This path does not take " + context.method().name(),
                        Map.of("Allow", String.valueOf(e.getDetails().get("availableMethods"))))
                : EdgeErrors.answer(e.getStatus());
        try {
            context.status(answer.problem().status()).result(json.writeValueAsBytes(answer.problem()));
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a problem is always JSON", impossible);
        }
        answer.headers().forEach(context::header);
        context.contentType(Problem.MEDIA_TYPE);
    }

    /// Where it listens; a free port that was asked for by 0 is known now.
    public int port() {
        return javalin.port();
    }

    /// Ends the streams of those who may not have them any more. Called every few seconds.
    public void recheckStreams() {
        rights.recheck(running);
    }

    /// Takes no more requests, ends event streams, waits for the others until the grace period is over, and
    /// interrupts what is left.
    @Override
    public void close() {
        Server server = javalin.jettyServer().server();
        try {
            var finished = Graceful.shutdown(server);
            running.interruptStreams();
            if (!await(finished, settings.grace().toMillis())) {
                running.interruptAll();
                if (!await(finished, LAST_WORDS_MILLIS))
                    LOG.warn("Requests are cut off that did not heed an interrupt");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // whoever is in a hurry gets no grace
        } finally {
            // Calls over connections that have been closed are no requests: nobody has waited for them.
            running.interruptAll();
            javalin.stop();
            handlers.shutdownNow();
        }
    }

    private static boolean await(Future<Void> finished, long millis) throws InterruptedException {
        try {
            finished.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            LOG.warn("The server did not close in order", e.getCause());
            return true;
        }
    }
}
