package hermit.access;

import hermit.identity.UserId;
import hermit.problem.GatewayException.RateLimited;
import hermit.world.Allowance;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;

/// Slows down whoever tries access tokens: a person, and an agent as a whole, have a few failures to spend and get one
/// back each minute. While there is none, nothing is compared at all, not even the right token.
public final class FailedJoins {
    static final int BURST_OF_PERSON = 5;
    static final int BURST_OF_AGENT = 50;
    static final Duration REFILL = Duration.ofMinutes(1);

    private final Allowance<Try> ofPerson;
    private final Allowance<UUID> ofAgent;

    private record Try(UUID agentUid, UserId user) {}

    public FailedJoins(InstantSource clock) {
        ofPerson = new Allowance<>(BURST_OF_PERSON, REFILL, clock);
        ofAgent = new Allowance<>(BURST_OF_AGENT, REFILL, clock);
    }

    void check(UUID agentUid, UserId user) {
        ofPerson.wait(new Try(agentUid, user)).or(() -> ofAgent.wait(agentUid)).ifPresent(wait -> {
            throw new RateLimited("Too many wrong access tokens", wait);
        });
    }

    void failed(UUID agentUid, UserId user) {
        ofPerson.spend(new Try(agentUid, user));
        ofAgent.spend(agentUid);
    }
}
