package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.People.Someone;
import hermit.exec.Exit;
import hermit.http.TestClient.Answer;
import hermit.turn.ModelServer.Call;
import java.util.Arrays;
import java.util.List;
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
        assertThat(model.asked().getLast().text())
                .contains("\\\"exit_code\\\":0")
                .contains("once\\\\n");
        assertThat(gateway.docker.started).hasSize(1);
    }

    @Test
    void a_program_whose_token_was_taken_back_calls_nothing_more_and_is_not_answered() throws Exception {
        var issued = admin.post("/api/tokens", Map.of("name", "bot", "agent_id", "main"));
        var program =
                new Someone("", "", admin.as(String.valueOf(issued.object().get("secret"))));
        String theirs = open(program);
        model.script(calls(call("exec", Map.of("command", "hang"))), text("never"));
        String running = post(program, theirs, "go");
        awaitStarted(1);
        String waiting = post(program, theirs, "and then?");
        assertThat(admin.delete(issued.header("Location")).status()).isEqualTo(204);
        gateway.docker.finish(row(), started(), new Exit.Exited(0));
        for (String each : List.of(running, waiting)) {
            var ended = admin.get(theirs + "/turns/" + each + "?wait_ms=60000").object();
            assertThat(ended).containsEntry("reason", "error");
            assertThat(String.valueOf(ended.get("detail"))).contains("may not talk to this agent any more");
        }
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void what_a_program_has_asked_for_is_not_carried_out_when_its_token_was_taken_back() throws Exception {
        supervised();
        var issued = admin.post("/api/tokens", Map.of("name", "bot", "agent_id", "main"));
        var program =
                new Someone("", "", admin.as(String.valueOf(issued.object().get("secret"))));
        String theirs = open(program);
        program.client().post(theirs + "/tools/exec", Map.of("command", "echo late"));
        String approval = pending();
        admin.delete(issued.header("Location"));
        decide(admin, approval, Map.of("decision", "approve"));
        gateway.poll();
        gateway.settle();
        assertThat(admin.get(approval).object()).containsEntry("state", "cancelled");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void each_call_is_its_own_authors() {
        var guest = people.member("main", "guest");
        String shared = open(guest);
        model.script(calls(call("exec", Map.of("command", "echo guest"))), text("could not"));
        assertThat(ask(guest, shared, "I am a guest").object()).containsEntry("text", "could not");
        assertThat(gateway.docker.started).isEmpty();
        assertThat(model.asked().getFirst().text()).doesNotContain("write_file").contains("read_file");
        assertThat(model.asked().get(1).text()).contains("forbidden");
        assertThat(eventsOf(shared, "tool_result"))
                .singleElement()
                .satisfies(each -> assertThat(each)
                        .containsEntry("state", "failed")
                        .containsEntry("author", "user:" + guest.id()));
        model.script(calls(call("exec", Map.of("command", "echo admin"))), text("could"));
        assertThat(ask(new Someone("", "", admin), shared, "and I am the admin").object())
                .containsEntry("text", "could");
        assertThat(admin.get("/api/agents/main/sandboxes/default/execs").items())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("caller", "admin"));
        assertThat(eventsOf(shared, "tool_result").getLast())
                .containsEntry("state", "done")
                .containsEntry("author", "admin");
    }

    @Test
    void who_is_removed_in_the_middle_calls_nothing_more() throws Exception {
        model.script(
                calls(call("exec", Map.of("command", "hang"))), calls(call("exec", Map.of("command", "echo late"))));
        String turn = post(user, session, "go");
        awaitStarted(1);
        admin.delete("/api/agents/main/members/" + user.id());
        gateway.docker.finish(row(), started(), new Exit.Exited(0));
        Answer ended = admin.get(session + "/turns/" + turn + "?wait_ms=60000");
        assertThat(ended.object()).containsEntry("reason", "error");
        assertThat(String.valueOf(ended.object().get("detail"))).contains("may not talk to this agent any more");
        assertThat(gateway.docker.started).hasSize(1);
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void more_calls_than_are_carried_out_at_one_step_are_told_so() {
        var all = new Call[33];
        Arrays.fill(all, call("list_files", Map.of("path", "/root")));
        model.script(calls(all), text("too many"));
        assertThat(ask(user, session, "look everywhere").object()).containsEntry("text", "too many");
        assertThat(eventsOf(session, "tool_call")).hasSize(32);
        assertThat(model.asked().get(1).text()).containsOnlyOnce("At most 32 calls at one step are carried out");
    }
}
