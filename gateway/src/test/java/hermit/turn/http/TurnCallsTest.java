package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a model's calls come to, and what it is told of them.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TurnCallsTest extends TurnTest {
    @Test
    void what_the_audit_cannot_keep_is_not_done_again_and_has_one_end_in_the_log() {
        gateway.audited.refusesTurns = true;
        model.script(calls(call("exec", Map.of("command", "echo once"))), text("I will look"));
        assertThat(ask(user, session, "do it once").object()).containsEntry("reason", "done");
        assertThat(eventsOf(session, "tool_result"))
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("state", "done"));
        assertThat(model.asked().get(1).text())
                .contains("could not write down that this was called")
                .contains("exec_status with exec_id " + started());
        gateway.audited.refusesTurns = false;
        model.script(calls(call("exec_status", Map.of("exec_id", started().toString()))), text("it was done"));
        ask(user, session, "and?");
        assertThat(model.asked().getLast().text()).contains("\\\"exit_code\\\":0").contains("once\\\\n");
        assertThat(gateway.docker.started).hasSize(1);
    }
}
