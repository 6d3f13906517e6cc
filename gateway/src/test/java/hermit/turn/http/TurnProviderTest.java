package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.http.TestClient.Answer;
import hermit.turn.ModelServer.Call;
import hermit.turn.ModelServer.Say;
import hermit.turn.Speaking;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Models that are slow, busy or broken, and what becomes of the turns that ask them.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TurnProviderTest extends TurnTest {
    @Test
    void a_provider_that_is_busy_is_asked_again_when_it_wishes() throws Exception {
        model.script(new Say.Refuse(429, Map.of("Retry-After", "7"), ""), text("now"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "hello"));
        gateway.time.awaitPausing(1);
        assertThat(eventsOf(session, "notice").getLast())
                .containsEntry("notice", "model_retry")
                .containsEntry("wait_ms", 7_000L)
                .containsEntry("attempt", 2L);
        gateway.time.advance(Duration.ofSeconds(6));
        assertThat(model.asked()).hasSize(1);
        gateway.time.advance(Duration.ofSeconds(1));
        assertThat(waiting.get().object()).containsEntry("reason", "done").containsEntry("text", "now");
    }

    @Test
    void a_provider_that_fails_for_ever_is_given_up() throws Exception {
        for (int i = 0; i < 5; i++) model.script(new Say.Refuse(503, Map.of(), "{}"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "hello"));
        for (int i = 1; i < 5; i++) {
            model.awaitAsked(i);
            gateway.time.awaitPausing(1);
            gateway.time.advance(Duration.ofSeconds(40));
        }
        Answer answer = waiting.get();
        assertThat(answer.object()).containsEntry("reason", "error");
        assertThat(answer.object().get("detail")).isEqualTo("The provider has failed (503)");
        assertThat(eventsOf(session, "error")).hasSize(1);
        assertThat(model.asked()).hasSize(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt true", "gpt false", "claude true", "claude false"})
    void an_answer_that_breaks_off_is_asked_for_again_and_nothing_of_it_is_called(String how) throws Exception {
        String[] words = how.split(" ", -1);
        answersWith(words[0]);
        var half = List.of(call("exec", Map.of("command", "echo once")));
        model.script(
                new Say.BreakOff(List.of("let me"), half, Boolean.parseBoolean(words[1])),
                calls(call("exec", Map.of("command", "echo once"))),
                text("done"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "run it"));
        gateway.time.awaitPausing(1);
        assertThat(gateway.docker.started).isEmpty();
        gateway.time.advance(Duration.ofSeconds(5));
        assertThat(waiting.get().object()).containsEntry("reason", "done").containsEntry("text", "done");
        assertThat(gateway.docker.started).hasSize(1);
        assertThat(eventsOf(session, "text_delta").getFirst())
                .containsEntry("text", "let me")
                .containsEntry("attempt", 1L);
    }

    @Test
    void a_model_without_its_key_says_so_and_not_where_it_should_be() {
        answersWith("keyless");
        Answer answer = ask(user, session, "hello");
        assertThat(answer.object()).containsEntry("reason", "error");
        assertThat(answer.text())
                .contains("key of the model 'keyless' is not set")
                .doesNotContain("MODEL_KEY_VARIABLE");
    }

    @Test
    void a_provider_that_refuses_tells_no_key_and_no_address() {
        model.script(new Say.Refuse(400, Map.of(), "{\"error\": {\"message\": \"bad %s\"}}".formatted(KEY)));
        assertThat(String.valueOf(ask(user, session, "x").object().get("detail")))
                .isEqualTo("The provider has refused the request (400): bad (hidden)");
        model.script(new Say.Refuse(401, Map.of(), "{\"error\": {\"message\": \"key %s\"}}".formatted(KEY)));
        assertThat(String.valueOf(ask(user, session, "x").object().get("detail")))
                .isEqualTo("The provider does not accept the key (401)");
        model.script(new Say.Refuse(302, Map.of("Location", "http://127.0.0.1:1/"), ""));
        assertThat(ask(user, session, "x").object()).containsEntry("reason", "error");
        assertThat(model.asked()).hasSize(3);
    }

    @Test
    void a_provider_that_wants_to_be_waited_for_too_long_is_given_up() {
        model.script(new Say.Refuse(429, Map.of("Retry-After", "121"), ""));
        var ended = ask(user, session, "hello").object();
        assertThat(ended).containsEntry("reason", "error");
        assertThat(String.valueOf(ended.get("detail"))).contains("asks to wait for 121 s, which is too long");
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void a_turn_is_cancelled_while_it_waits_to_ask_again() throws Exception {
        model.script(new Say.Refuse(503, Map.of(), "{}"));
        String turn = post(user, session, "hello");
        gateway.time.awaitPausing(1);
        user.client().send("POST", session + "/cancel", "");
        assertThat(turn(turn).object()).containsEntry("reason", "cancelled");
        gateway.time.advance(Duration.ofMinutes(1));
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void a_model_that_says_nothing_for_long_and_shows_that_it_lives_is_waited_for() {
        gateway.model = Optional.of(new Speaking(listener -> {
            for (int i = 0; i < 4; i++) {
                gateway.time.advance(Duration.ofMinutes(4));
                listener.heard();
                gateway.tick();
            }
            return Speaking.text("at last");
        }));
        assertThat(ask(user, session, "think hard").object())
                .containsEntry("reason", "done")
                .containsEntry("text", "at last");
        assertThat(eventsOf(session, "notice"))
                .noneSatisfy(each -> assertThat(each).containsEntry("notice", "model_retry"));
    }

    @Test
    void a_model_of_which_nothing_is_heard_for_five_minutes_is_asked_again() throws Exception {
        var attempts = new AtomicInteger();
        gateway.model = Optional.of(new Speaking(_ -> {
            if (attempts.incrementAndGet() > 1) return Speaking.text("here");
            gateway.time.advance(Duration.ofMinutes(5).plusSeconds(1));
            gateway.tick();
            new CountDownLatch(1).await(); // until it is interrupted
            return Speaking.text("never");
        }));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "hello"));
        gateway.time.awaitPausing(1);
        assertThat(eventsOf(session, "notice").getLast())
                .containsEntry("notice", "model_retry")
                .containsEntry("detail", "The model has been silent for too long");
        gateway.time.advance(Duration.ofSeconds(2));
        assertThat(waiting.get().object()).containsEntry("reason", "done").containsEntry("text", "here");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt", "claude"})
    void a_call_that_was_cut_off_is_not_made_and_the_model_hears_why(String name) {
        answersWith(name);
        var half = new Call("write_file", "{\"path\": \"long.txt\", \"content\": \"once upon a");
        var nothing = new Call("list_files", "");
        model.script(
                new Say.Words(List.of(), List.of(half), "length"),
                new Say.Words(List.of(), List.of(nothing), "length"),
                text("in pieces, then"));
        assertThat(ask(user, session, "write a novel").object()).containsEntry("text", "in pieces, then");
        assertThat(model.asked().get(1).text())
                .contains("the answer had reached its limit of 2000 tokens")
                .doesNotContain("must be a JSON object");
        assertThat(model.asked().get(2).text()).contains("write a novel").containsPattern("cut off.*cut off");
        assertThat(eventsOf(session, "tool_call")).isEmpty();
        assertThat(eventsOf(session, "notice"))
                .filteredOn(each -> "output_cut".equals(each.get("notice")))
                .hasSize(2);
    }
}
