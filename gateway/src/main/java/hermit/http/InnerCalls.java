package hermit.http;

import hermit.http.Authenticator.Identified;
import hermit.http.RunningRequests.Running;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Unauthenticated;
import hermit.problem.ProblemCode;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls of other routes by whoever has opened a connection, over that connection. Each goes through all that a request
/// of its own would: whether the credential still counts, the route's policy, its form, its handler, limits and
/// records.
public final class InnerCalls {
    private static final Logger LOG = LoggerFactory.getLogger(InnerCalls.class);

    private final Shared shared;
    private final Identified who;
    private final Connection connection;

    private InnerCalls(Shared shared, Identified who, Connection connection) {
        this.shared = shared;
        this.who = who;
        this.connection = connection;
    }

    /// Over the connection that this request opens.
    static InnerCalls over(Shared shared, Identified who, Incoming opening) {
        return new InnerCalls(shared, who, new Connection(opening.id(), opening.address(), opening.isSecure()));
    }

    /// What is known of the request that opened a connection; the request itself is over by then.
    record Connection(String id, String address, boolean isSecure) {}

    /// Which route, and with what.
    record Wanted(String route, Map<String, String> path, Map<String, String> query, Map<String, Object> document) {}

    @FunctionalInterface
    interface Begun {
        void run() throws InterruptedException;
    }

    /// How a call went.
    sealed interface Outcome {
        /// `body`: a record of the API; empty where there is nothing to say.
        record Answered(Optional<Object> body) implements Outcome {}

        record Refused(Problems.Answer why) implements Outcome {}
    }

    /// Calls a route that answers with JSON or with nothing.
    Outcome call(Wanted wanted) throws InterruptedException {
        try (Running running = shared.running().enter()) {
            return refusable(wanted, false, (call, incoming, account) -> {
                Reply reply = call.run(who, incoming, running, account).reply();
                return switch (reply) {
                    case Reply.Json json -> new Outcome.Answered(Optional.of(json.body()));
                    case Reply.NoContent _ -> new Outcome.Answered(Optional.empty());
                    default -> throw new IllegalStateException(wanted.route + " has another answer");
                };
            });
        }
    }

    /// Calls a route that answers with events, and sends them until they have come to their end, which is the
    /// answer; it is refused then if the right to them has gone. `begun` runs before the first of them, once
    /// nothing can refuse the call any more.
    Outcome follow(Wanted wanted, Begun begun, EventStream to) throws InterruptedException {
        try (Running running = shared.running().enter()) {
            return refusable(wanted, true, (call, incoming, account) -> {
                Reply reply = call.run(who, incoming, running, account).reply();
                if (!(reply instanceof Reply.Events events))
                    throw new IllegalStateException(wanted.route + " has no events");
                try {
                    running.startStream();
                    begun.run();
                    events.source().run(to);
                } catch (InterruptedException e) {
                    throw running.refusal().orElseThrow(() -> e);
                } catch (GatewayException e) {
                    throw running.insteadOf(e);
                } catch (ClientGone e) {
                    events.whenGone().run();
                    throw running.refusal().<RuntimeException>map(why -> why).orElse(e);
                }
                return new Outcome.Answered(Optional.empty());
            });
        }
    }

    private Outcome refusable(Wanted wanted, boolean follows, Step step) throws InterruptedException {
        RouteCall call = shared.table().get(wanted.route);
        var incoming = new InnerIncoming(connection, call.route(), wanted.path, wanted.query, wanted.document, follows);
        Account account = call.account(incoming);
        account.shown(true);
        account.by(who.caller());
        account.note("transport", "websocket");
        try {
            if (!shared.authenticator().stillKnows(who))
                throw new Unauthenticated("The token or the login is not valid any more");
            return step.take(call, incoming, account);
        } catch (GatewayException e) {
            account.failed(e.code(), e.code().status());
            return new Outcome.Refused(Problems.of(e));
        } catch (InterruptedException e) {
            account.failed(ProblemCode.BACKEND_UNAVAILABLE, ProblemCode.BACKEND_UNAVAILABLE.status());
            throw e;
        } catch (ClientGone e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("A call of {} over the connection of request {} failed", wanted.route, connection.id(), e);
            account.failed(ProblemCode.INTERNAL, ProblemCode.INTERNAL.status());
            return new Outcome.Refused(Problems.internal(connection.id()));
        }
    }

    @FunctionalInterface
    private interface Step {
        Outcome take(RouteCall call, Incoming incoming, Account account) throws InterruptedException;
    }
}
