package hermit.backend.tenki;

import hermit.backend.keeper.Scheduler;
import hermit.config.Secret;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.MissingCredential;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.WaitSessionRequest;
import hermit.tenki.wire.WaitSessionResponse;
import io.grpc.CallOptions;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls of Tenki's control plane: the key in their headers, a deadline on each, and a bounded number of repetitions
/// where nothing can be done twice.
final class ControlPlane {
    private static final Logger log = LoggerFactory.getLogger(ControlPlane.class);
    private static final String API_KEY = "tk_";
    private static final int REPETITIONS = 4;
    private static final Duration FIRST_WAIT = Duration.ofMillis(250);
    /// A provider that asks for a longer rest is asked again by whoever wants something.
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final TenkiSettings settings;
    private final Channels channels;
    private final Scheduler scheduler;

    ControlPlane(TenkiSettings settings, Channels channels, Scheduler scheduler) {
        this.settings = settings;
        this.channels = channels;
        this.scheduler = scheduler;
        String problem = Channels.problem(settings.endpoint());
        if (!problem.isEmpty())
            throw new GatewayException.ProviderError("Tenki's address %s: %s".formatted(settings.endpoint(), problem));
    }

    URI server() {
        return settings.endpoint();
    }

    /// Once, but for what was certainly not done: turned away by the transport, or asked too often.
    <Q, A> A once(MethodDescriptor<Q, A> method, Q request, Duration within, Progress progress)
            throws CallFailed, InterruptedException {
        return call(method, request, within, false, progress);
    }

    /// Repeats also what may have been done, for a call that does no more when it is done twice.
    <Q, A> A again(MethodDescriptor<Q, A> method, Q request) throws CallFailed, InterruptedException {
        return call(method, request, settings.callWithin(), true, Progress.NONE);
    }

    private <Q, A> A call(
            MethodDescriptor<Q, A> method, Q request, Duration within, boolean repeatable, Progress progress)
            throws CallFailed, InterruptedException {
        var wait = FIRST_WAIT;
        for (int i = 1; ; i++) {
            try {
                return Calls.call(channels.to(server()), Channels.below(server(), method), headers(), within, request);
            } catch (CallFailed e) {
                boolean undone = e.isTooOften() || e.isRefused();
                // An answer that took all its time is not waited for once more.
                boolean passing = repeatable && e.isPassing() && e.code() != Status.Code.DEADLINE_EXCEEDED;
                var rest = e.retryAfter().orElse(wait);
                if (i == REPETITIONS || (!undone && !passing) || rest.compareTo(LONGEST_WAIT) > 0) throw e;
                if (e.isTooOften()) progress.report("Tenki is busy; asking again in %d ms".formatted(rest.toMillis()));
                log.debug("{} is repeated: {}", method.getFullMethodName(), e.getMessage());
                scheduler.pause(rest);
                wait = wait.multipliedBy(2);
            }
        }
    }

    /// Follows a session until its stream ends, `heard` says that it has heard enough, or `within` is over.
    void follow(String session, Duration within, Hearer heard) throws CallFailed, InterruptedException {
        var method = Channels.below(server(), SandboxServiceGrpc.getWaitSessionMethod());
        var call = channels.to(server())
                .newCall(method, CallOptions.DEFAULT.withDeadlineAfter(within.toMillis(), TimeUnit.MILLISECONDS));
        var answers = new Inbox<WaitSessionResponse>();
        call.start(answers, headers());
        call.request(1);
        call.sendMessage(WaitSessionRequest.newBuilder().setSessionId(session).build());
        call.halfClose();
        try {
            for (var answer = answers.next(); answer.isPresent(); answer = answers.next()) {
                if (heard.enough(answer.get())) return;
                call.request(1);
            }
        } finally {
            call.cancel("heard enough", null);
        }
    }

    interface Hearer {
        boolean enough(WaitSessionResponse answer);
    }

    /// Without waiting for the answer.
    <Q, A> void tell(MethodDescriptor<Q, A> method, Q request) {
        Thread.ofVirtual().name("tenki-tell").start(() -> {
            try {
                again(method, request);
            } catch (CallFailed | GatewayException e) {
                log.warn("{}: {}", method.getFullMethodName(), e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private Metadata headers() {
        String token = settings.token().map(Secret::reveal).map(String::strip).orElse("");
        if (token.isEmpty()) throw new MissingCredential("set TENKI_AUTH_TOKEN (or TENKI_API_KEY) to use Tenki");
        if (!token.startsWith(API_KEY) || !token.chars().allMatch(c -> c > ' ' && c <= '~'))
            throw new MissingCredential(
                    "what TENKI_AUTH_TOKEN (or TENKI_API_KEY) holds is no API key of Tenki: they begin with tk_");
        var headers = new Metadata();
        put(headers, "authorization", "Bearer " + token);
        put(headers, "x-tenki-client-family", "hermit");
        put(headers, "x-tenki-client-generation", "workspace_v1");
        return headers;
    }

    private static void put(Metadata headers, String name, String value) {
        headers.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    }
}
