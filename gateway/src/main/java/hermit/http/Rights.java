package hermit.http;

import hermit.access.Guard;
import hermit.access.Standing;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Unauthenticated;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Asks whether requests may pass: once for each, and for streams again and again.
final class Rights {
    private final Authenticator authenticator;
    private final Guard guard;

    Rights(Authenticator authenticator, Guard guard) {
        this.authenticator = authenticator;
        this.guard = guard;
    }

    Optional<Standing> check(Right right) {
        return guard.check(right.policy(), right.who().caller(), right.agent(), right.reading());
    }

    /// Ends the streams whose right has gone meanwhile. Each right is asked for once, however many streams it has.
    void recheck(RunningRequests running) {
        Map<Right, Optional<GatewayException>> asked = new HashMap<>();
        running.streams()
                .forEach(stream -> stream.right()
                        .flatMap(right -> asked.computeIfAbsent(right, this::refusal))
                        .ifPresent(stream::refuse));
    }

    private Optional<GatewayException> refusal(Right right) {
        try {
            if (!authenticator.stillKnows(right.who()))
                throw new Unauthenticated("The token or the login is not valid any more");
            check(right);
            return Optional.empty();
        } catch (BackendUnavailable e) {
            return Optional.empty(); // while the database is away, nobody's right has changed
        } catch (GatewayException e) {
            return Optional.of(e);
        }
    }
}
