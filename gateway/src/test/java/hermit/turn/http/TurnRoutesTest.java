package hermit.turn.http;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.People.Someone;
import hermit.Racing;
import hermit.TestGateway;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.http.TestEvents;
import hermit.turn.ModelServer.Call;
import hermit.turn.ModelServer.Say;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Whole turns.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TurnRoutesTest extends TurnTest {
    @ParameterizedTest
    @ValueSource(strings = {"gpt", "claude"})
    void a_program_is_written_run_and_fixed(String name) {
        answersWith(name);
        model.script(
                calls(call("write_file", Map.of("path", "main.sh", "content", "exit 3"))),
                calls(call("exec", Map.of("command", "echo start; err broken; exit 3"))),
                calls(call("edit_file", Map.of("path", "main.sh", "old_text", "exit 3", "new_text", "exit 0"))),
                calls(call("exec", Map.of("command", "echo fixed"))),
                text("It ", "works ", "now."));
        Answer answer = ask(user, session, "make it work");
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.object())
                .containsEntry("state", "ended")
                .containsEntry("reason", "done")
                .containsEntry("text", "It works now.")
                .containsEntry("steps", 5)
                .containsEntry("usage", Map.of("input_tokens", 50, "output_tokens", 25));
        assertThat(model.asked()).hasSize(5).allSatisfy(asked -> {
            assertThat(asked.text()).doesNotContain(KEY);
            assertThat(asked.headers().toString()).contains(KEY);
        });
        assertThat(model.asked().getFirst().text()).contains("make it work");
        assertThat(model.asked().get(2).text())
                .contains("\\\"exit_code\\\":3")
                .contains("broken")
                .doesNotContain("fixed");
        assertThat(model.asked().get(4).text()).contains("\\\"stdout\\\":\\\"fixed\\\\n\\\"");
        assertThat(typesOf(session))
                .containsSubsequence(
                        "user_message",
                        "notice",
                        "tool_call",
                        "tool_result",
                        "tool_call",
                        "tool_output",
                        "tool_result",
                        "tool_call",
                        "tool_result",
                        "tool_call",
                        "tool_output",
                        "tool_result",
                        "text_delta",
                        "text_final",
                        "turn_end");
        // What was said and done is known in the next turn.
        model.script(text("As I said."));
        ask(user, session, "really?");
        assertThat(model.asked().getLast().text())
                .contains("make it work")
                .contains("It works now.")
                .contains("main.sh")
                .contains("really?");
        assertThat(admin.get("/api/audit?action=tools.call").items())
                .hasSize(4)
                .allSatisfy(each -> assertThat(each)
                        .containsEntry("who", "user:" + user.id())
                        .containsEntry("result", "ok"));
        assertThat(admin.get("/metrics").text())
                .contains("hermit_turns_seconds_count{reason=\"done\"} 2")
                .contains("hermit_model_tokens_total{direction=\"input\",model=\"%s\"} 60.0".formatted(name));
    }

    @Test
    void calls_of_one_step_run_at_the_same_time() throws Exception {
        model.script(
                calls(call("exec", Map.of("command", "hang")), call("exec", Map.of("command", "echo b; hang"))),
                text("both"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "two at once"));
        awaitStarted(2);
        admin.send("POST", session + "/cancel", "");
        assertThat(waiting.get().object()).containsEntry("reason", "cancelled");
    }

    @Test
    void an_approval_is_asked_for_in_the_middle_and_granted_by_somebody_else() throws Exception {
        supervised();
        var owner = people.member("main", "owner");
        model.script(calls(call("exec", Map.of("command", "echo approved"))), text("done"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "run it"));
        String approval = pending();
        assertThat(gateway.docker.started).isEmpty();
        assertThat(owner.client().get(approval).object()).containsEntry("requester", "user:" + user.id());
        decide(owner.client(), approval, Map.of("decision", "approve"));
        assertThat(polled(waiting).object()).containsEntry("reason", "done").containsEntry("text", "done");
        assertThat(model.asked().get(1).text()).contains("approved\\\\n");
        assertThat(gateway.docker.started).hasSize(1);
        assertThat(typesOf(session))
                .containsSubsequence(
                        "tool_call",
                        "approval_required",
                        "approval_decided",
                        "tool_output",
                        "tool_result",
                        "text_final",
                        "turn_end");
    }

    @Test
    void the_model_hears_of_a_denial_and_of_silence() throws Exception {
        supervised();
        model.script(
                calls(call("exec", Map.of("command", "rm -rf /"))),
                calls(call("exec", Map.of("command", "echo other"))),
                text("then not"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "clean up"));
        decide(admin, pending(), Map.of("decision", "deny", "reason", "not on my machine"));
        model.awaitAsked(2);
        assertThat(model.asked().get(1).text())
                .contains("has said no: not on my machine")
                .contains("denied");
        pending();
        gateway.time.advance(Duration.ofMinutes(10));
        assertThat(polled(waiting).object()).containsEntry("reason", "done");
        assertThat(model.asked().get(2).text()).contains("has not answered in time");
        assertThat(gateway.docker.started).isEmpty();
    }

    @Test
    void a_turn_is_cancelled_in_the_middle_of_a_command_and_the_session_goes_on() throws Exception {
        model.script(calls(call("exec", Map.of("command", "echo half; hang"))));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "take long"));
        awaitStarted(1);
        Answer cancelled = user.client().send("POST", session + "/cancel", "");
        assertThat(cancelled.object().get("turn_ids"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(1);
        assertThat(polled(waiting).object()).containsEntry("reason", "cancelled");
        assertThat(user.client().send("POST", session + "/cancel", "").object()).containsEntry("turn_ids", List.of());
        assertThat(gateway.docker.isQuiet(row())).isTrue();
        assertThat(eventsOf(session, "tool_result"))
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("state", "done"));
        model.script(text("here again"));
        assertThat(ask(user, session, "still there?").object()).containsEntry("text", "here again");
        assertThat(model.asked().getLast().text()).contains("cancelled").contains("half");
    }

    @Test
    void a_turn_that_waits_for_a_person_is_cancelled_with_what_it_has_asked_for() throws Exception {
        supervised();
        model.script(calls(call("exec", Map.of("command", "echo x"))));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "ask first"));
        String approval = pending();
        user.client().send("POST", session + "/cancel", "");
        assertThat(polled(waiting).object()).containsEntry("reason", "cancelled");
        assertThat(admin.get(approval).object()).containsEntry("state", "cancelled");
        assertThat(gateway.docker.started).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt", "claude"})
    void a_turn_is_cancelled_in_the_middle_of_an_answer_and_nobody_reads_on(String name) throws Exception {
        answersWith(name);
        var never = new CountDownLatch(1);
        model.script(new Say.Hold(List.of("Once upon"), never));
        String turn = post(user, session, "tell me a story");
        await(() -> !eventsOf(session, "text_delta").isEmpty());
        user.client().send("POST", session + "/cancel", "");
        Answer ended = turn(turn);
        assertThat(ended.object()).containsEntry("reason", "cancelled").containsEntry("text", "Once upon");
        model.awaitGone();
        never.countDown();
        assertThat(eventsOf(session, "text_final"))
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("partial", true));
    }

    @Test
    void messages_that_wait_are_cancelled_with_the_turn_before_them() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        String first = post(user, session, "one");
        awaitStarted(1);
        String second = post(user, session, "two");
        user.client().send("POST", session + "/cancel", "");
        assertThat(turn(first).object()).containsEntry("reason", "cancelled");
        assertThat(turn(second).object()).containsEntry("reason", "cancelled").containsEntry("steps", 0);
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void each_of_two_who_wait_in_one_session_gets_their_own_answer() throws Exception {
        var first = new CountDownLatch(1);
        model.script("question one", new Say.Hold(List.of("answer one"), first));
        var one = CompletableFuture.supplyAsync(() -> ask(user, session, "question one"));
        model.awaitAsked(1);
        model.script("question two", text("answer two"));
        var two = CompletableFuture.supplyAsync(() -> ask(user, session, "question two"));
        await(() -> eventsOf(session, "user_message").size() == 2);
        assertThat(model.asked()).hasSize(1);
        model.script("question one", text("answer two"));
        first.countDown();
        assertThat(one.get().object()).containsEntry("text", "answer one");
        assertThat(two.get().object()).containsEntry("text", "answer two");
        assertThat(model.asked().getFirst().text()).doesNotContain("question two");
    }

    @Test
    void two_people_in_two_sessions_are_answered_at_once() throws Exception {
        var other = people.member("main", "user");
        String others = open(other);
        var both = new CountDownLatch(1);
        model.script("from ann", new Say.Hold(List.of("for ann"), both));
        model.script("from bob", new Say.Hold(List.of("for bob"), both));
        var ann = CompletableFuture.supplyAsync(() -> ask(user, session, "from ann"));
        var bob = CompletableFuture.supplyAsync(() -> ask(other, others, "from bob"));
        model.awaitAsked(2);
        both.countDown();
        assertThat(ann.get().object()).containsEntry("text", "for ann");
        assertThat(bob.get().object()).containsEntry("text", "for bob");
        assertThat(other.client()
                        .get(session + "/turns/" + ann.get().object().get("id"))
                        .status())
                .isEqualTo(404);
        assertThat(other.client()
                        .get(others + "/turns/" + ann.get().object().get("id"))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void a_gateway_that_dies_in_the_middle_ends_the_turn_at_its_next_start_and_calls_nothing_again() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang")), call("list_files", Map.of("path", "/root"))));
        String first = post(user, session, "take long");
        await(() -> eventsOf(session, "tool_result").size() == 1);
        awaitStarted(2);
        String second = post(user, session, "and then?");
        restart();
        assertThat(admin.get(session + "/turns/" + first).object()).containsEntry("state", "running");
        model.script(text("after the restart"));
        gateway.poll();
        assertThat(turn(first).object()).containsEntry("reason", "interrupted");
        assertThat(turn(second).object()).containsEntry("reason", "done").containsEntry("text", "after the restart");
        assertThat(gateway.docker.started).hasSize(2);
        assertThat(model.asked()).hasSize(2);
        assertThat(model.asked().get(1).text())
                .contains("not known what became of it")
                .contains("and then?");
        assertThat(eventsOf(session, "tool_result"))
                .extracting(each -> each.get("state"))
                .containsExactlyInAnyOrder("done", "unknown");
        assertThat(admin.delete(session).status()).isEqualTo(204);
    }

    @Test
    void the_model_hears_of_what_cannot_be_called() {
        model.script(
                calls(new Call("exec", "{\"command\": \"echo"), call("fly", Map.of("to", "the moon"))),
                calls(call("exec", Map.of("comand", "id")), call("read_file", Map.of("path", "/root/none"))),
                text("I give up"));
        assertThat(ask(user, session, "try").object()).containsEntry("text", "I give up");
        assertThat(model.asked().get(1).text())
                .contains("must be a JSON object")
                .contains("There is no tool 'fly'");
        assertThat(model.asked().get(2).text())
                .contains("did you mean 'command'?")
                .contains("not_found");
        assertThat(eventsOf(session, "tool_result"))
                .hasSize(4)
                .allSatisfy(each -> assertThat(each).containsEntry("state", "failed"));
        assertThat(gateway.docker.started.size()).isLessThanOrEqualTo(1);
    }

    @Test
    void a_turn_has_only_so_many_steps() {
        for (int i = 0; i < TestGateway.MAX_STEPS + 3; i++)
            model.script(calls(call("exec", Map.of("command", "echo again"))));
        assertThat(ask(user, session, "for ever").object())
                .containsEntry("reason", "max_steps")
                .containsEntry("steps", TestGateway.MAX_STEPS);
        assertThat(model.asked()).hasSize(TestGateway.MAX_STEPS);
    }

    @Test
    void a_turn_has_only_so_much_time_and_its_command_ends_with_it() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        String turn = post(user, session, "for ever");
        awaitStarted(1);
        gateway.time.advance(TestGateway.MAX_TIME);
        gateway.poll();
        assertThat(turn(turn).object()).containsEntry("reason", "max_time");
        assertThat(gateway.docker.isQuiet(row())).isTrue();
    }

    @Test
    void old_output_makes_room_when_the_context_is_full() {
        answersWith("small");
        String much = "y".repeat(9_000);
        model.script(
                calls(call("exec", Map.of("command", "echo first" + much))),
                calls(call("exec", Map.of("command", "echo second" + much))),
                calls(call("exec", Map.of("command", "echo third" + much))),
                text("enough"));
        assertThat(ask(user, session, "print much").object()).containsEntry("text", "enough");
        String last = model.asked().getLast().text();
        assertThat(last).contains("print much").contains("left out here").contains("third" + much);
        assertThat(last).doesNotContain("first" + much);
        assertThat(eventsOf(session, "notice"))
                .anySatisfy(each -> assertThat(each).containsEntry("notice", "compacted"));
    }

    @Test
    void no_part_of_a_secret_is_left_where_something_is_cut_to_make_room() {
        answersWith("small");
        String begin = "x".repeat(395);
        String much = "y".repeat(9_000);
        model.script(
                calls(call("write_file", Map.of("path", "notes", "content", begin + KEY + "z".repeat(12_000)))),
                calls(call("exec", Map.of("command", "echo second" + much))),
                calls(call("exec", Map.of("command", "echo third" + much))),
                text("enough"));
        assertThat(ask(user, session, "write much").object()).containsEntry("text", "enough");
        // The cut comes after 400 characters.
        assertThat(model.asked())
                .anySatisfy(asked -> assertThat(asked.text()).contains(begin + "(hidd\\\\n[… "))
                .allSatisfy(asked -> assertThat(asked.text()).doesNotContain(begin + "sk"));
    }

    @Test
    void long_output_comes_as_head_and_tail_and_can_be_read_on() {
        String long_ = "a".repeat(30_000) + "END";
        model.script(calls(call("exec", Map.of("command", "echo " + long_))), text("ok"));
        ask(user, session, "print");
        String shown = model.asked().get(1).text();
        assertThat(shown).contains("stdout_offset 12000 reads on").contains("END\\\\n");
        assertThat(shown.length()).isLessThan(2 * 30_000);
    }

    @Test
    void an_approved_commands_long_output_comes_as_a_whole() throws Exception {
        supervised();
        model.script(calls(call("exec", Map.of("command", "echo " + "a".repeat(40_000) + "END"))), text("ok"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(user, session, "print"));
        decide(admin, pending(), Map.of("decision", "approve"));
        polled(waiting);
        assertThat(model.asked().get(1).text())
                .contains("stdout_offset 12000 reads on")
                .contains("END\\\\n");
    }

    @Test
    void events_come_until_the_turn_has_ended_and_can_be_resumed() throws Exception {
        model.script(calls(call("exec", Map.of("command", "echo x"))), text("all ", "done"));
        var response = user.client()
                .send(user.client()
                        .request(session + "/messages")
                        .header("Accept", "text/event-stream")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"text\": \"go\"}")));
        assertThat(response.status()).isEqualTo(200);
        var names = response.text()
                .lines()
                .filter(each -> each.startsWith("event: "))
                .toList();
        assertThat(names).first().isEqualTo("event: user_message");
        assertThat(names).last().isEqualTo("event: turn_end");
        assertThat(names).contains("event: tool_call", "event: text_delta", "event: text_final");
        try (var again = TestEvents.resume(user.client(), session + "/events", "2")) {
            for (String each : names.subList(2, names.size()))
                assertThat("event: " + again.next().orElseThrow().name()).isEqualTo(each);
        }
    }

    @Test
    void without_a_model_messages_are_kept_and_nobody_can_wait() {
        admin.put("/api/agents/main/config", Map.of());
        Answer kept = user.client().post(session + "/messages", Map.of("text", "anybody?"));
        assertThat(kept.status()).isEqualTo(201);
        Answer refused = user.client().post(session + "/messages", Map.of("text", "hello?", "wait", true));
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.text()).contains("has no model");
        assertThat(user.client().get(session + "/messages").items()).hasSize(1);
        // Who is given one later knows what was said.
        answersWith("gpt");
        model.script(text("me"));
        ask(user, session, "and now?");
        assertThat(model.asked().getFirst().text()).contains("anybody?").contains("and now?");
    }

    @Test
    void who_waits_for_less_time_than_it_takes_finds_the_answer_later() throws Exception {
        var until = new CountDownLatch(1);
        model.script(new Say.Hold(List.of("late"), until));
        Answer early = user.client().post(session + "/messages", Map.of("text", "slowly", "wait_ms", 1));
        assertThat(early.status()).isEqualTo(202);
        until.countDown();
        assertThat(user.client()
                        .get(early.header("Location") + "?wait_ms=60000")
                        .object())
                .containsEntry("reason", "done")
                .containsEntry("text", "late");
    }

    @Test
    void a_body_says_clearly_what_it_wants() {
        assertThat(user.client()
                        .post(session + "/messages", Map.of("text", "x", "wait", false, "wait_ms", 5))
                        .paths())
                .containsExactly("wait_ms");
        assertThat(user.client()
                        .post(session + "/messages", Map.of("text", "x", "wait_ms", 0))
                        .paths())
                .containsExactly("wait_ms");
        assertThat(user.client()
                        .post(session + "/messages", Map.of("text", "x", "wiat", true))
                        .text())
                .contains("did you mean 'wait'?");
        assertThat(model.asked()).isEmpty();
    }

    @Test
    void an_owner_chooses_among_names_and_sees_no_address_and_no_variable() {
        var owner = people.member("main", "owner");
        Answer listed = owner.client().get("/api/models");
        assertThat(listed.text())
                .contains("\"gpt\"", "\"claude\"", "openai_compatible", "anthropic", "m-1")
                .doesNotContain("127.0.0.1", "MODEL_KEY_VARIABLE", KEY);
        Answer unknown = owner.client().put("/api/agents/main/config", Map.of("model", "gtp"));
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.paths()).containsExactly("model");
        assertThat(unknown.text()).contains("gpt, claude");
        assertThat(admin.post("/api/agents", Map.of("id", "other", "config", Map.of("model", "none")))
                        .paths())
                .containsExactly("config.model");
        for (String key : List.of("base_url", "api_key_env"))
            assertThat(owner.client()
                            .put("/api/agents/main/config", Map.of("model", "gpt", key, "http://127.0.0.1"))
                            .paths())
                    .containsExactly(key);
    }

    @Test
    void instructions_skills_and_sandboxes_are_what_the_model_is_told_first() {
        admin.put(
                "/api/agents/main/config",
                Map.of(
                        "model",
                        "gpt",
                        "instructions",
                        Map.of("identity", "You are Otto.", "rules", "Never say maybe.")));
        model.script(text("hello"));
        ask(user, session, "who are you?");
        assertThat(model.asked().getFirst().text())
                .contains("You are Otto.", "Never say maybe.", "`default`: docker debian:13; user root; home /root; ")
                .containsOnlyOnce("debian:13");
        assertThat(admin.put("/api/agents/main/config", Map.of("instructions", Map.of("identiy", "x")))
                        .text())
                .contains("instructions.identiy")
                .contains("did you mean 'identity'?");
        assertThat(admin.put("/api/agents/main/config", Map.of("instructions", Map.of("rules", "x".repeat(20_001))))
                        .paths())
                .containsExactly("instructions.rules");
    }

    @Test
    void the_operators_secrets_reach_neither_the_model_nor_the_log() {
        model.script(
                calls(call("exec", Map.of("command", "echo %s %s".formatted(KEY, TestClient.TOKEN)))),
                text("the key is sk-very-", "secret-0123456789, and so on"));
        ask(user, session, "say " + KEY);
        assertThat(model.asked())
                .allSatisfy(
                        asked -> assertThat(asked.text()).doesNotContain(KEY).doesNotContain(TestClient.TOKEN));
        assertThat(model.asked().get(1).text()).contains("(hidden)");
        assertThat(gateway.log(session).toString()).doesNotContain(KEY).doesNotContain(TestClient.TOKEN);
        assertThat(eventsOf(session, "text_final").getFirst()).containsEntry("text", "the key is (hidden), and so on");
    }

    @Test
    void what_is_more_than_may_run_at_once_waits_for_its_time() {
        var turns = new ArrayList<String>();
        for (int i = 0; i <= TestGateway.MAX_TURNS; i++) {
            String text = "number %d;".formatted(i);
            model.script(text, calls(call("exec", Map.of("command", "hang"))), text("done"));
            String each = admin.post(SESSIONS, Map.of()).header("Location");
            turns.add(each + "/turns/" + post(new Someone("", "", admin), each, text));
        }
        awaitStarted(TestGateway.MAX_TURNS);
        gateway.poll();
        assertThat(admin.get(turns.getLast()).object()).containsEntry("state", "queued");
        assertThat(gateway.docker.started).hasSize(TestGateway.MAX_TURNS);
        gateway.docker.finish(row(), started(), new Exit.Exited(0));
        awaitStarted(TestGateway.MAX_TURNS + 1);
        for (ExecId each : List.copyOf(gateway.docker.started)) gateway.docker.finish(row(), each, new Exit.Exited(0));
        assertThat(turns)
                .allSatisfy(each ->
                        assertThat(admin.get(each + "?wait_ms=60000").object()).containsEntry("reason", "done"));
    }

    @Test
    void nobody_lets_messages_wait_without_end() {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        post(user, session, "first");
        awaitStarted(1);
        for (int i = 0; i < 50; i++) post(user, session, "more");
        Answer refused = user.client().post(session + "/messages", Map.of("text", "too much"));
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("10");
        assertThat(eventsOf(session, "user_message")).hasSize(51);
        Answer cancelled = user.client().send("POST", session + "/cancel", "");
        assertThat(cancelled.object().get("turn_ids"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(51);
    }

    @Test
    void nobody_takes_all_answers_for_themselves_in_however_many_sessions() {
        model.script("question one", calls(call("exec", Map.of("command", "hang"))));
        post(user, session, "question one");
        awaitStarted(1);
        for (int i = 1; i < 50; i++) post(user, session, "more");
        String another = open(user);
        model.script("question two", new Say.Hold(List.of("slowly"), new CountDownLatch(1)));
        for (int i = 50; i < TestGateway.TURNS_PER_CALLER; i++) post(user, another, "question two");
        Answer refused = user.client().post(another + "/messages", Map.of("text", "too much"));
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("10");
        assertThat(refused.text()).contains("limits.turns_per_caller");
        // Neither others nor the admin are held by it.
        var other = people.member("main", "guest");
        post(other, open(other), "hello");
        assertThat(admin.post(another + "/messages", Map.of("text", "me")).status())
                .isEqualTo(201);
        user.client().send("POST", another + "/cancel", "");
        post(user, another, "again");
    }

    @Test
    void a_gateway_that_is_stopped_says_so_and_its_commands_go_on() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        String turn = post(user, session, "take long");
        awaitStarted(1);
        gateway.stopTurns();
        assertThat(turn(turn).object()).containsEntry("reason", "interrupted");
        assertThat(gateway.docker.isQuiet(row())).isFalse();
        assertThat(eventsOf(session, "tool_result"))
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("state", "unknown"));
        assertThat(eventsOf(session, "turn_end")).hasSize(1);
    }

    @Test
    void a_session_that_ends_or_goes_ends_its_turns() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        String running = post(user, session, "one");
        awaitStarted(1);
        String queued = post(user, session, "two");
        user.client().send("POST", session + "/end", "");
        gateway.poll();
        assertThat(turn(running).object()).containsEntry("reason", "cancelled");
        gateway.poll();
        assertThat(turn(queued).object()).containsEntry("reason", "cancelled");
        assertThat(user.client().delete(session).status()).isEqualTo(204);
    }

    @Test
    void fifty_short_turns_leave_nothing_running() throws Exception {
        var racers = new ArrayList<Callable<Answer>>();
        for (int i = 0; i < 50; i++) {
            String each = i % 5 == 0 ? open(user) : session;
            racers.add(() -> ask(user, each, "quick"));
        }
        var finish = Racing.of(racers);
        assertThat(finish.failures()).isEmpty();
        assertThat(finish.results())
                .allSatisfy(each -> assertThat(each.object()).containsEntry("reason", "done"));
        assertThat(user.client().delete(session).status()).isEqualTo(204);
    }
}
