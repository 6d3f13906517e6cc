package hermit.turn;

import static hermit.turn.ModelServer.call;
import static hermit.turn.ModelServer.calls;
import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.TestGateway;
import hermit.config.ModelSettings;
import hermit.db.TestDatabase;
import hermit.exec.ExecId;
import hermit.exec.Exit;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two gateways on one PostgreSQL: a turn is one's alone, and both know of it.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class TurnsOnTwoGatewaysTest {
    private final ModelServer model = new ModelServer();
    private final TestGateway one = TestGateway.with(TestDatabase.POSTGRESQL, models());
    private final TestGateway two = one.neighbour();
    private final TestClient there = new TestClient(two.port(), TestClient.TOKEN);
    private String session = "";

    private Map<String, ModelSettings> models() {
        return Map.of(
                "m",
                new ModelSettings(
                        ModelSettings.Provider.OPENAI_COMPATIBLE,
                        Optional.of(model.url()),
                        "m-1",
                        Optional.empty(),
                        Optional.empty(),
                        2_000,
                        128_000,
                        Optional.empty()));
    }

    @BeforeEach
    void a_session() {
        new People(one).agent("main", "private");
        one.client.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", "full", "require_approval_for", List.of()));
        one.client.put("/api/agents/main/config", Map.of("model", "m"));
        session = one.client.post("/api/agents/main/sessions", Map.of()).header("Location");
    }

    @AfterEach
    void close() {
        model.close();
        two.close();
        one.close();
    }

    @Test
    void what_runs_at_one_is_not_begun_at_the_other_and_what_was_posted_there_comes_after_it() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))), text("first"), text("second"));
        var first = CompletableFuture.supplyAsync(() -> ask(one.client, "at one"));
        ExecId exec = started();
        var second = CompletableFuture.supplyAsync(() -> ask(there, "at two"));
        while (userMessages() < 2) Thread.onSpinWait();
        for (int i = 0; i < 5; i++) {
            one.poll();
            two.poll();
        }
        assertThat(model.asked()).hasSize(1);
        one.docker.finish(row(), exec, new Exit.Exited(0));
        assertThat(polled(first).object()).containsEntry("text", "first");
        assertThat(polled(second).object()).containsEntry("text", "second");
        assertThat(model.asked()).hasSize(3);
    }

    @Test
    void what_is_cancelled_at_one_ends_at_the_other_and_nothing_more_is_asked() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))), text("never"));
        var waiting = CompletableFuture.supplyAsync(() -> ask(there, "take long"));
        started();
        assertThat(one.client.send("POST", session + "/cancel", "").object().get("turn_ids"))
                .asInstanceOf(InstanceOfAssertFactories.LIST)
                .hasSize(1);
        assertThat(polled(waiting).object()).containsEntry("reason", "cancelled");
        assertThat(model.asked()).hasSize(1);
    }

    @Test
    void a_session_that_is_deleted_at_one_ends_the_command_that_its_turn_runs_at_the_other() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))));
        post(there, "take long");
        started();
        assertThat(one.client.delete(session).status()).isEqualTo(204);
        two.poll();
        two.settle();
        assertThat(one.docker.isQuiet(row())).isTrue();
    }

    @Test
    void a_gateway_that_is_gone_loses_its_turns_when_their_lease_has_run_out() throws Exception {
        model.script(calls(call("exec", Map.of("command", "hang"))), text("after that"));
        String turn = post(one.client, "take long");
        started();
        two.poll();
        assertThat(get(turn)).containsEntry("state", "running");
        one.time.advance(TurnWriter.LASTS);
        two.poll();
        assertThat(get(turn)).containsEntry("state", "ended").containsEntry("reason", "interrupted");
        // The other comes back, finds that it has lost it, and says nothing of it any more.
        one.tick();
        one.settle();
        assertThat(one.log(session).stream()
                        .filter(each -> each.type().toString().equals("turn_end")))
                .hasSize(1);
        assertThat(polled(CompletableFuture.supplyAsync(() -> ask(there, "and now?")))
                        .object())
                .containsEntry("text", "after that");
        assertThat(one.docker.started).hasSize(1);
    }

    @Test
    void many_messages_at_both_are_each_answered_once() throws Exception {
        var waiting = new ArrayList<CompletableFuture<Answer>>();
        for (int i = 0; i < 20; i++) {
            TestClient by = i % 2 == 0 ? one.client : there;
            waiting.add(CompletableFuture.supplyAsync(() -> ask(by, "quick")));
        }
        for (var each : waiting) assertThat(polled(each).object()).containsEntry("reason", "done");
        assertThat(model.asked()).hasSize(20);
    }

    private Answer ask(TestClient by, String text) {
        return by.post(session + "/messages", Map.of("text", text, "wait", true));
    }

    private String post(TestClient by, String text) {
        var data = (Map<?, ?>)
                by.post(session + "/messages", Map.of("text", text)).object().getOrDefault("data", Map.of());
        return String.valueOf(data.get("turn_id"));
    }

    private Map<String, Object> get(String turn) {
        return one.client.get(session + "/turns/" + turn).object();
    }

    private long userMessages() {
        return one.log(session).stream()
                .filter(each -> each.type().toString().equals("user_message"))
                .count();
    }

    private ExecId started() {
        while (true)
            synchronized (one.docker.started) {
                if (!one.docker.started.isEmpty()) return one.docker.started.getFirst();
                Thread.onSpinWait();
            }
    }

    private UUID row() {
        return UUID.fromString(String.valueOf(
                one.client.get("/api/agents/main/sandboxes/default").object().get("id")));
    }

    private <T> T polled(CompletableFuture<T> wanted) throws Exception {
        while (!wanted.isDone()) {
            one.poll();
            two.poll();
        }
        return wanted.get();
    }
}
