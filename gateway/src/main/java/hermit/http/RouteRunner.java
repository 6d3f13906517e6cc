package hermit.http;

import hermit.api.Problem;
import hermit.http.Authenticator.Credentials;
import hermit.http.EventStream.Event;
import hermit.http.RunningRequests.Running;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import io.javalin.http.Context;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers requests of one route: who calls, the [RouteCall], and the answer, whatever it is. Every exception ends
/// here.
final class RouteRunner implements io.javalin.http.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(RouteRunner.class);

    private final Route route;
    private final RouteCall call;
    private final Shared shared;

    RouteRunner(RouteCall call, Shared shared) {
        this.route = call.route();
        this.call = call;
        this.shared = shared;
    }

    @Override
    public void handle(Context context) {
        Trace trace = Trace.of(context.req());
        trace.takenBy(route);
        try (Running running = shared.running().enter();
                var transfer = new Transfer(context.req(), trace, running, shared.world())) {
            var incoming = new HttpIncoming(context, trace, transfer, shared.addresses());
            Account account = call.account(incoming);
            try {
                answer(incoming, running, account);
            } catch (GatewayException e) {
                account.failed(e.code(), e.code().status());
                problem(context, Problems.of(e), transfer);
            } catch (InterruptedException e) {
                account.failed(ProblemCode.BACKEND_UNAVAILABLE, ProblemCode.BACKEND_UNAVAILABLE.status());
                problem(context, Problems.closing(), transfer);
            } catch (RuntimeException | Error e) {
                if (!(e instanceof ClientGone)) {
                    account.failed(ProblemCode.INTERNAL, ProblemCode.INTERNAL.status());
                    problem(context, unforeseen(trace, e), transfer);
                }
            }
        } catch (ClientGone e) {
            LOG.debug("Request {}: {}", trace.id(), e.getMessage());
        }
    }

    private void answer(HttpIncoming incoming, Running running, Account account) throws InterruptedException {
        Context context = incoming.context();
        Trace trace = incoming.trace();
        Transfer transfer = incoming.transfer();
        var credentials = credentials(incoming);
        account.shown(credentials.anyShown());
        var who = shared.authenticator().authenticate(credentials);
        var done = call.run(who, incoming, running, account);
        switch (done.reply()) {
            case Reply.Json json ->
                write(context, json.status(), "application/json", json.headers(), bytes(json.body()));
            case Reply.Text text ->
                write(context, 200, text.contentType(), Map.of(), text.text().getBytes(StandardCharsets.UTF_8));
            case Reply.Bytes bytes -> write(context, 200, bytes.contentType(), bytes.headers(), bytes.body());
            case Reply.NoContent nothing -> {
                nothing.headers().forEach(context.res()::setHeader);
                context.res().setStatus(nothing.status());
            }
            case Reply.Events events -> stream(context, events, trace, running);
            case Reply.Lines lines -> lines(context, lines);
            case Reply.Upgrade(WebSocketSession session) -> {
                trace.becameStream();
                SocketRunner.leave(context, session, done.right(), done.recorded());
            }
            case Reply.Download download -> Downloads.send(context, download, trace, transfer);
            case Reply.NoSuchRange(long size) -> problem(context, Problems.noSuchRange(size), transfer);
        }
    }

    private void stream(Context context, Reply.Events events, Trace trace, Running running)
            throws InterruptedException {
        running.startStream();
        trace.becameStream();
        var stream = open(context);
        var heart = Thread.ofVirtual().name("heartbeat").start(() -> beat(stream, running));
        try {
            events.source().run(stream);
        } catch (InterruptedException e) {
            var why = running.refusal().map(Problems::of).orElseGet(Problems::closing);
            if (!stream.isGone()) stream.send(Event.of("error", why.problem()));
        } catch (GatewayException e) {
            stream.send(Event.of("error", Problems.of(running.insteadOf(e)).problem()));
        } catch (ClientGone e) {
            throw e;
        } catch (RuntimeException | Error e) {
            stream.send(Event.of("error", unforeseen(trace, e).problem()));
        } finally {
            heart.interrupt();
            if (stream.isGone()) events.whenGone().run();
        }
    }

    private void lines(Context context, Reply.Lines lines) {
        context.res().setContentType("application/x-ndjson");
        try {
            var out = context.res().getOutputStream();
            while (lines.each().hasNext()) {
                out.write(bytes(lines.each().next()));
                out.write('\n');
            }
        } catch (IOException e) {
            throw new ClientGone(e);
        }
    }

    private ServerSentEvents open(Context context) {
        var response = context.res();
        response.setStatus(200);
        response.setContentType("text/event-stream");
        response.setHeader("X-Accel-Buffering", "no");
        try {
            response.flushBuffer();
            return new ServerSentEvents(response.getOutputStream(), shared.json());
        } catch (IOException e) {
            throw new ClientGone(e);
        }
    }

    /// Finds out that a client has gone although there is nothing to tell it, and then wakes the source up.
    private void beat(ServerSentEvents stream, Running running) {
        try {
            while (true) {
                shared.world().pause().of(shared.heartbeat());
                stream.beat();
            }
        } catch (ClientGone e) {
            running.interrupt();
        } catch (InterruptedException e) {
            // The stream has ended.
        }
    }

    private Problems.Answer unforeseen(Trace trace, Throwable e) {
        LOG.error("Request {} ({}) failed", trace.id(), route, e);
        return Problems.internal(trace.id());
    }

    private void problem(Context context, Problems.Answer answer, Transfer transfer) {
        Bodies.drain(context.req(), transfer);
        writeProblem(context, answer);
        // The router would go on and answer the handshake.
        if (route.method() == Method.WS) throw new NoUpgrade();
    }

    private void writeProblem(Context context, Problems.Answer answer) {
        write(context, answer.problem().status(), Problem.MEDIA_TYPE, answer.headers(), bytes(answer.problem()));
    }

    private byte[] bytes(Object body) {
        try {
            return shared.json().writeValueAsBytes(body);
        } catch (IOException e) {
            throw new IllegalStateException("%s cannot be written as JSON".formatted(body.getClass()), e);
        }
    }

    private static void write(
            Context context, int status, String contentType, Map<String, String> headers, byte[] body) {
        var response = context.res();
        response.setStatus(status);
        response.setContentType(contentType);
        headers.forEach(response::setHeader);
        response.setContentLength(body.length);
        try {
            response.getOutputStream().write(body);
        } catch (IOException e) {
            throw new ClientGone(e);
        }
    }

    /// The handshake has been refused, and answered.
    static final class NoUpgrade extends RuntimeException {
        private NoUpgrade() {
            super("refused", null, false, false);
        }
    }

    private Credentials credentials(HttpIncoming incoming) {
        Context context = incoming.context();
        return new Credentials(
                incoming.header("Authorization"),
                incoming.login(),
                route.takesTicket() ? Optional.ofNullable(context.queryParam("ticket")) : Optional.empty(),
                incoming.path(),
                incoming.header("Origin").isPresent(),
                incoming.header(Authenticator.MARK).isPresent(),
                !route.reads(),
                incoming.address());
    }
}
