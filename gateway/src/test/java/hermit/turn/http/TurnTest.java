package hermit.turn.http;

import static hermit.turn.ModelServer.text;
import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.People.Someone;
import hermit.TestGateway;
import hermit.config.ModelSettings;
import hermit.config.Secret;
import hermit.db.TestDatabase;
import hermit.exec.ExecId;
import hermit.http.TestClient;
import hermit.http.TestClient.Answer;
import hermit.session.SessionEvent;
import hermit.turn.ModelServer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// A gateway with an agent, a session, and a model that says what the test has written for it, over real HTTP
/// on both sides.
abstract class TurnTest {
    static final String SESSIONS = "/api/agents/main/sessions";
    static final String KEY = "sk-very-secret-0123456789";

    final ModelServer model = new ModelServer();
    TestGateway gateway = TestGateway.with(TestDatabase.SQLITE, models(model));
    TestClient admin = gateway.client;
    People people = new People(gateway);
    Someone user = new Someone("", "", admin);
    String session = "";

    /// One of each provider, and one whose key is not set.
    static Map<String, ModelSettings> models(ModelServer server) {
        var models = new LinkedHashMap<String, ModelSettings>();
        models.put(
                "gpt",
                settings(server, ModelSettings.Provider.OPENAI_COMPATIBLE, Optional.of(new Secret(KEY)), 128_000));
        models.put("claude", settings(server, ModelSettings.Provider.ANTHROPIC, Optional.of(new Secret(KEY)), 128_000));
        models.put(
                "small",
                settings(server, ModelSettings.Provider.OPENAI_COMPATIBLE, Optional.of(new Secret(KEY)), 14_000));
        models.put("keyless", settings(server, ModelSettings.Provider.ANTHROPIC, Optional.empty(), 128_000));
        return models;
    }

    private static ModelSettings settings(
            ModelServer server, ModelSettings.Provider provider, Optional<Secret> key, int context) {
        return new ModelSettings(
                provider,
                Optional.of(server.url()),
                "m-1",
                Optional.of("MODEL_KEY_VARIABLE"),
                key,
                2_000,
                context,
                Optional.empty());
    }

    @BeforeEach
    void an_agent_with_a_model_and_a_session() {
        people.agent("main", "private");
        full();
        answersWith("gpt");
        user = people.member("main", "user");
        session = open(user);
    }

    @AfterEach
    void close() {
        model.close();
        gateway.close();
    }

    void answersWith(String name) {
        admin.put("/api/agents/main/config", Map.of("model", name));
    }

    void supervised() {
        policy("supervised");
    }

    void full() {
        policy("full");
    }

    void policy(String autonomy) {
        admin.put(
                "/api/agents/main/security",
                Map.of("access", "private", "autonomy_level", autonomy, "require_approval_for", List.of("exec")));
    }

    static String open(Someone who) {
        return who.client().post(SESSIONS, Map.of()).header("Location");
    }

    static Answer ask(Someone who, String session, String text) {
        return who.client().post(session + "/messages", Map.of("text", text, "wait", true));
    }

    /// The gateway dies and starts again.
    void restart() {
        gateway = gateway.restarted();
        admin = gateway.client;
        people = new People(gateway);
        user = new Someone(user.id(), user.token(), admin.as(user.token()));
    }

    /// The turn's id.
    static String post(Someone who, String session, String text) {
        Answer posted = who.client().post(session + "/messages", Map.of("text", text));
        assertThat(posted.status()).as(posted.text()).isEqualTo(201);
        return String.valueOf(((Map<?, ?>) posted.object().getOrDefault("data", Map.of())).get("turn_id"));
    }

    /// When it has ended.
    Answer turn(String id) {
        return user.client().get(session + "/turns/" + id + "?wait_ms=60000");
    }

    String pending() {
        while (true) {
            var found = admin.get("/api/approvals?state=pending").items();
            if (!found.isEmpty()) return "/api/approvals/" + found.getFirst().get("id");
            requireTime();
        }
    }

    static void decide(TestClient by, String approval, Map<String, String> decision) {
        assertThat(by.post(approval + "/decision", decision).status()).isEqualTo(200);
    }

    Answer polled(CompletableFuture<Answer> waiting) throws Exception {
        while (!waiting.isDone()) gateway.poll();
        return waiting.get();
    }

    void awaitStarted(int commands) {
        while (true)
            synchronized (gateway.docker.started) {
                if (gateway.docker.started.size() >= commands) return;
                requireTime();
            }
    }

    ExecId started() {
        synchronized (gateway.docker.started) {
            return gateway.docker.started.getFirst();
        }
    }

    UUID row() {
        return UUID.fromString(String.valueOf(
                admin.get("/api/agents/main/sandboxes/default").object().get("id")));
    }

    static void await(Callable<Boolean> holds) throws Exception {
        while (!holds.call()) requireTime();
    }

    /// A test whose time is over is interrupted, and would look on for ever.
    private static void requireTime() {
        if (Thread.interrupted()) throw new AssertionError("what was waited for has not come");
        Thread.onSpinWait();
    }

    List<String> typesOf(String session) {
        return gateway.log(session).stream().map(each -> each.type().toString()).toList();
    }

    List<Map<String, Object>> eventsOf(String session, String type) {
        return gateway.log(session).stream()
                .filter(each -> each.type().toString().equals(type))
                .map(SessionEvent::data)
                .toList();
    }
}
