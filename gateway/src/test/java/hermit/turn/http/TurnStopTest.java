package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.turn.Answer;
import hermit.turn.Speaking;
import hermit.turn.Usage;
import hermit.turn.WantedCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
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
        gateway.turnStore.isReadOnly = true;
        gateway.time.advance(Duration.ofSeconds(15));
        gateway.tick();
        gateway.settle();
        gateway.turnStore.isReadOnly = false;
        nobodyRunsItAnyMore(approval);
        assertThat(turn(turn).object()).containsEntry("reason", "interrupted");
    }

    @Test
    void a_message_whose_turn_cannot_begin_at_once_is_kept_and_answered_later() {
        gateway.turnStore.beginsNone = true;
        String turn = post(user, session, "hello?");
        assertThat(user.client().get(session + "/messages").items()).hasSize(1);
        gateway.turnStore.beginsNone = false;
        model.script(text("here"));
        gateway.poll();
        assertThat(turn(turn).object()).containsEntry("reason", "done").containsEntry("text", "here");
    }

    @Test
    void an_answer_that_is_complete_when_the_turn_has_been_cancelled_calls_nothing() {
        var wanted = new WantedCall(
                new UUID(7, 1), new UUID(7, 2), "write_file", Map.of("path", "x", "content", "y"), Optional.empty());
        gateway.model = Optional.of(new Speaking(_ -> {
            // By another thread, since this one is interrupted by it.
            CompletableFuture.runAsync(() -> user.client().send("POST", session + "/cancel", ""))
                    .join();
            return new Answer("so be it", List.of(wanted), Usage.NONE, false);
        }));
        var ended = ask(user, session, "write it down").object();
        assertThat(ended).containsEntry("reason", "cancelled").containsEntry("text", "so be it");
        assertThat(eventsOf(session, "tool_call")).isEmpty();
        assertThat(eventsOf(session, "tool_result")).isEmpty();
        gateway.model = Optional.empty();
        model.script(text("yes"));
        ask(user, session, "was it written?");
        assertThat(model.asked().getLast().text()).contains("cancelled before it was carried out");
    }

    @Test
    void what_is_about_to_be_asked_when_the_turn_is_cancelled_is_taken_back_when_it_is() throws Exception {
        supervised();
        var gate = new CountDownLatch(1);
        gateway.rules.gate = gate;
        model.script(calls(call("exec", Map.of("command", "echo late"))));
        String turn = post(user, session, "run it");
        await(() -> !eventsOf(session, "tool_call").isEmpty());
        user.client().send("POST", session + "/cancel", "");
        gateway.tick();
        gate.countDown();
        String approval = "";
        while (approval.isEmpty()) {
            var all = admin.get("/api/approvals").items();
            if (!all.isEmpty()) approval = "/api/approvals/" + all.getFirst().get("id");
        }
        var waiting = CompletableFuture.supplyAsync(() -> turn(turn));
        assertThat(polled(waiting).object()).containsEntry("reason", "cancelled");
        nobodyRunsItAnyMore(approval);
    }

    @Test
    void a_session_that_is_deleted_takes_the_command_of_its_turn_with_it() throws Exception {
        model.script(calls(call("exec", Map.of("command", "echo half; hang"))));
        post(user, session, "take long");
        awaitStarted(1);
        String queued = post(user, session, "and then?");
        assertThat(user.client().delete(session).status()).isEqualTo(204);
        gateway.poll();
        gateway.settle();
        assertThat(gateway.docker.isQuiet(row())).isTrue();
        assertThat(admin.get(session + "/turns/" + queued).status()).isEqualTo(404);
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void a_turn_that_finds_itself_forgotten_ends_its_command_too() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        post(user, session, "take long");
        awaitStarted(1);
        assertThat(user.client().delete(session).status()).isEqualTo(204);
        gateway.time.advance(Duration.ofSeconds(15));
        gateway.tick();
        gateway.settle();
        await(() -> gateway.docker.isQuiet(row()));
    }

    private void nobodyRunsItAnyMore(String approval) throws Exception {
        assertThat(admin.get(approval).object()).containsEntry("state", "cancelled");
        assertThat(admin.post(approval + "/decision", Map.of("decision", "approve"))
                        .status())
                .isEqualTo(409);
        gateway.poll();
        gateway.settle();
        assertThat(gateway.docker.started).isEmpty();
    }
}
