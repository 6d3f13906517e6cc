package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.exec.ExecId;
import hermit.exec.Exit;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Turns whose gateway dies while a person is asked, or while what was approved runs.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TurnRestartTest extends TurnTest {
    @Test
    void the_model_is_told_the_id_under_which_an_approved_command_really_runs() throws Exception {
        supervised();
        model.script(calls(call("exec", Map.of("command", "echo built; hang"))));
        String turn = post(user, session, "build it");
        String approval = pending();
        String promised = String.valueOf(admin.get(approval).object().get("exec_id"));
        decide(admin, approval, Map.of("decision", "approve"));
        gateway.poll();
        awaitStarted(1);
        ExecId exec = started();
        assertThat(exec).hasToString(promised);
        restart();
        gateway.poll();
        assertThat(turn(turn).object()).containsEntry("reason", "interrupted");
        full();
        model.script(calls(call("exec_status", Map.of("exec_id", promised))), text("it still builds"));
        assertThat(ask(user, session, "how is the build?").object()).containsEntry("text", "it still builds");
        assertThat(model.asked().get(1).text()).contains("exec_status with exec_id " + exec);
        assertThat(model.asked().get(2).text()).contains("\\\"sandbox_generation\\\":1");
        assertThat(gateway.docker.started).hasSize(1);
        gateway.docker.finish(row(), exec, new Exit.Exited(0));
    }

    @Test
    void what_a_person_was_asked_for_is_taken_back_and_is_never_run() throws Exception {
        supervised();
        model.script(calls(call("exec", Map.of("command", "echo late"))));
        String turn = post(user, session, "run it");
        String approval = pending();
        restart();
        gateway.poll();
        assertThat(turn(turn).object()).containsEntry("reason", "interrupted");
        assertThat(admin.get(approval).object()).containsEntry("state", "cancelled");
        assertThat(admin.post(approval + "/decision", Map.of("decision", "approve"))
                        .status())
                .isEqualTo(409);
        gateway.poll();
        gateway.settle();
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void one_turn_that_cannot_be_ended_does_not_keep_the_others_from_their_end() throws Exception {
        String other = open(user);
        var hang = calls(call("exec", Map.of("command", "hang")));
        model.script(hang, hang);
        String first = post(user, session, "first");
        awaitStarted(1);
        String second = post(user, other, "second");
        awaitStarted(2);
        restart();
        gateway.turnStore.keeps = first;
        gateway.poll();
        assertThat(admin.get(other + "/turns/" + second).object()).containsEntry("reason", "interrupted");
        assertThat(admin.get(session + "/turns/" + first).object()).containsEntry("state", "running");
        gateway.turnStore.keeps = "";
        gateway.poll();
        assertThat(admin.get(session + "/turns/" + first).object()).containsEntry("reason", "interrupted");
    }
}
