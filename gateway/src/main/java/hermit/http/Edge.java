package hermit.http;

import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import hermit.world.World;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The first to see a request, before routing: gives it an id and its answer the security headers, and turns
/// away what a hostile web page sends, which the observer is told. Counts every answer, whoever gave it.
final class Edge extends Handler.Wrapper {
    private static final Logger LOG = LoggerFactory.getLogger(Edge.class);
    private final Hosts hosts;
    private final Origins origins;
    private final CoreReply reply;
    private final HttpMetrics metrics;
    private final World world;
    private final RequestObserver observer;
    private final ClientAddresses addresses;

    Edge(
            HttpSettings settings,
            CoreReply reply,
            HttpMetrics metrics,
            World world,
            RequestObserver observer,
            ClientAddresses addresses) {
        this.hosts = new Hosts(settings);
        this.origins = new Origins(settings);
        this.reply = reply;
        this.metrics = metrics;
        this.world = world;
        this.observer = observer;
        this.addresses = addresses;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Trace trace = Trace.begin(request, world.newId().toString());
        response.getHeaders().put(Trace.HEADER, trace.id());
        CoreReply.secure(response.getHeaders());
        // A command may print nothing for hours: silence while a request is being answered is no failure.
        request.addIdleTimeoutListener(silence -> false);
        Request.addCompletionListener(
                request,
                _ -> metrics.answered(
                        request.getMethod(), trace, response.getStatus(), NanoTime.since(request.getBeginNanoTime())));
        try {
            check(request);
        } catch (GatewayException refusal) {
            tell(request, trace, refusal);
            reply.problem(response, callback, Problems.of(refusal));
            return true;
        }
        return super.handle(request, response, callback);
    }

    private void tell(Request request, Trace trace, GatewayException refusal) {
        var headers = request.getHeaders();
        var shown = new LinkedHashMap<String, String>();
        for (HttpHeader each : List.of(HttpHeader.HOST, HttpHeader.ORIGIN))
            Optional.ofNullable(headers.get(each))
                    .ifPresent(value -> shown.put(each.lowerCaseName(), TurnedAway.cut(value)));
        try {
            observer.turnedAway(new TurnedAway(
                    trace.id(),
                    addresses.of(request),
                    request.getMethod(),
                    Optional.ofNullable(request.getHttpURI().getPath()).orElse(""),
                    refusal.code(),
                    shown));
        } catch (GatewayException e) {
            LOG.error("Request {} was turned away, which could not be recorded: {}", trace.id(), e.detail());
        }
    }

    private void check(Request request) {
        HttpFields headers = request.getHeaders();
        String host = headers.get(HttpHeader.HOST);
        if (!hosts.allows(host))
            throw new Refused(
                    ProblemCode.WRONG_HOST,
                    "This gateway is not called by that name; add it to server.allowed_hosts if it should be");
        boolean upgrade =
                headers.contains(HttpHeader.SEC_WEBSOCKET_VERSION) || headers.contains(HttpHeader.UPGRADE, "websocket");
        // Also of reading: browsers send no `Origin` with what a page reads of its own server.
        if (!origins.allows(headers.get(HttpHeader.ORIGIN), host))
            throw new Forbidden("Requests from pages of this origin are not allowed");
        if (upgrade && !request.getMethod().equals("GET")) throw new NotFound("There is no WebSocket here");
    }
}
