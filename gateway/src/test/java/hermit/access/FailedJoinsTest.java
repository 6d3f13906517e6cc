package hermit.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.identity.UserId;
import hermit.problem.GatewayException.RateLimited;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FailedJoinsTest {
    private static final UUID AGENT = new UUID(1, 1);
    private static final UserId EVE = new UserId(new UUID(2, 2));

    private Instant now = Instant.parse("2026-11-01T12:00:00Z");
    private final FailedJoins joins = new FailedJoins(() -> now);

    @Test
    void a_person_who_failed_too_often_at_an_agent_has_to_wait_there_and_nowhere_else() {
        fail(AGENT, EVE, FailedJoins.BURST_OF_PERSON);
        assertThatThrownBy(() -> joins.check(AGENT, EVE))
                .isInstanceOfSatisfying(
                        RateLimited.class, e -> assertThat(e.retryAfter()).contains(FailedJoins.REFILL));
        assertThatCode(() -> joins.check(new UUID(1, 2), EVE)).doesNotThrowAnyException();
        assertThatCode(() -> joins.check(AGENT, user(3))).doesNotThrowAnyException();
        now = now.plus(FailedJoins.REFILL);
        joins.check(AGENT, EVE);
        joins.failed(AGENT, EVE);
        assertThatThrownBy(() -> joins.check(AGENT, EVE)).isInstanceOf(RateLimited.class);
    }

    @Test
    void many_people_who_fail_at_one_agent_use_up_what_it_bears() {
        for (int i = 0; i < FailedJoins.BURST_OF_AGENT; i++) {
            joins.check(AGENT, user(i));
            joins.failed(AGENT, user(i));
        }
        assertThatThrownBy(() -> joins.check(AGENT, user(9_999))).isInstanceOf(RateLimited.class);
        now = now.plus(FailedJoins.REFILL);
        assertThatCode(() -> joins.check(AGENT, user(9_999))).doesNotThrowAnyException();
    }

    @Test
    void memory_stays_bounded_and_the_latest_failures_are_kept() {
        for (int i = 0; i < 30_000; i++) joins.failed(new UUID(7, i), user(i));
        fail(AGENT, EVE, FailedJoins.BURST_OF_PERSON);
        for (int i = 0; i < 4_000; i++) joins.failed(new UUID(8, i), user(i));
        assertThatThrownBy(() -> joins.check(AGENT, EVE)).isInstanceOf(RateLimited.class);
        assertThatCode(() -> joins.check(new UUID(7, 1), user(1))).doesNotThrowAnyException();
    }

    private void fail(UUID agent, UserId user, int times) {
        for (int i = 0; i < times; i++) joins.failed(agent, user);
    }

    private static UserId user(int number) {
        return new UserId(new UUID(9, number));
    }
}
