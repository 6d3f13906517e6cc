package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Turns that are told to stop, or cannot go on, at an awkward moment: what they leave behind.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TurnStopTest extends TurnTest {
    @Test
    void a_gateway_that_is_stopped_takes_back_what_a_turn_has_asked_a_person() throws Exception {
        supervised();
        model.script(calls(call("exec", Map.of("command", "echo late"))));
        String turn = post(user, session, "run it");
        String approval = pending();
        gateway.stopTurns();
        assertThat(turn(turn).object()).containsEntry("reason", "interrupted");
        nobodyRunsItAnyMore(approval);
    }

    @Test
    void a_turn_that_cannot_be_written_any_more_takes_back_what_it_has_asked_a_person() throws Exception {
        supervised();
        model.script(calls(call("exec", Map.of("command", "echo late"))));
        String turn = post(user, session, "run it");
        String approval = pending();
        gateway.turnsAreReadOnly = true;
        gateway.time.advance(Duration.ofSeconds(15));
        gateway.tick();
        gateway.settle();
        gateway.turnsAreReadOnly = false;
        nobodyRunsItAnyMore(approval);
        assertThat(turn(turn).object()).containsEntry("reason", "interrupted");
    }

    private void nobodyRunsItAnyMore(String approval) throws Exception {
        assertThat(admin.get(approval).object()).containsEntry("state", "cancelled");
        assertThat(admin.post(approval + "/decision", Map.of("decision", "approve")).status()).isEqualTo(409);
        gateway.poll();
        gateway.settle();
        assertThat(gateway.docker.started).isEmpty();
    }
}
