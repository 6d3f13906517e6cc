package hermit.http;

import hermit.access.Caller;
import hermit.access.Standing;
import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What becomes known of one request while it is dealt with, and is told to the [RequestObserver] in the end.
final class Account {
    private static final Logger LOG = LoggerFactory.getLogger(Account.class);

    private final RequestObserver observer;
    private final Route route;
    private final String id;
    private final String address;
    private final String path;
    private Caller caller = new Caller.Anonymous();
    private final Map<String, String> notes = new LinkedHashMap<>();
    private Optional<UUID> agentUid = Optional.empty();
    private boolean credentialShown;
    private boolean admitted;
    private boolean told;

    Account(RequestObserver observer, Route route, String id, String address, String path) {
        this.observer = observer;
        this.route = route;
        this.id = id;
        this.address = address;
        this.path = path;
    }

    void shown(boolean credential) {
        credentialShown = credential;
    }

    /// Whose request it is.
    void by(Caller who) {
        caller = who;
    }

    /// It has passed the gate.
    void admitted(Optional<Standing> as) {
        agentUid = as.map(Standing::agentUid);
        admitted = true;
    }

    void about(UUID agent) {
        agentUid = Optional.of(agent);
    }

    void note(String name, String value) {
        notes.put(name, value);
    }

    /// Throws what the observer throws: nothing is done that could not be told.
    AnsweredRequest succeeded(int status, Optional<String> location) {
        var answered = answered(status, Optional.empty(), location);
        if (changes()) tell(answered);
        return answered;
    }

    /// The caller is told of the first problem, also where it cannot be told to the observer.
    void failed(ProblemCode code, int status) {
        if (told || !(changes() || (!admitted && isDenial(code)))) return;
        try {
            tell(answered(status, Optional.of(code), Optional.empty()));
        } catch (GatewayException e) {
            LOG.error("Request {} was answered with {}, which could not be recorded: {}", id, code, e.detail());
        }
    }

    private void tell(AnsweredRequest answered) {
        told = true;
        observer.answered(answered);
    }

    private AnsweredRequest answered(int status, Optional<ProblemCode> problem, Optional<String> location) {
        return new AnsweredRequest(
                id, caller, address, route.method(), route.path(), path, agentUid, status, problem, location, notes);
    }

    private boolean changes() {
        return route.method() != Method.GET;
    }

    /// Of those who only read, whoever shows nothing and whoever asks for what is not there is no denial.
    private boolean isDenial(ProblemCode code) {
        return switch (code) {
            case UNAUTHENTICATED -> credentialShown;
            case FORBIDDEN, JOIN_REQUIRED -> true;
            case NOT_FOUND -> route.streaming() != Route.Streaming.NEVER;
            default -> false;
        };
    }
}
