package hermit;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.http.Raw;
import hermit.http.TestClient.Answer;
import hermit.http.TestSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What one caller may take of the gateway, each limit named by what refuses.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class LimitsTest {
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";
    private static final Map<String, Object> HANG = Map.of("command", "hang", "background", true);

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @BeforeEach
    void an_agent() {
        people.agent("main", "private");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @Test
    void commands_of_one_caller_are_limited_over_all_sandboxes_and_of_others_are_not() {
        var owner = people.member("main", "owner");
        gateway.client.post("/api/agents/main/sandboxes", Map.of("type", "docker", "alias", "second"));
        var second = "/api/agents/main/sandboxes/second";
        var running = new ArrayList<Answer>();
        for (int i = 0; i < TestGateway.EXECS_PER_CALLER; i++)
            running.add(owner.client().post((i % 2 == 0 ? SANDBOX : second) + "/execs", HANG));
        assertThat(running).allMatch(each -> each.status() == 202);
        for (String path : List.of(SANDBOX + "/execs", second + "/execs", SANDBOX + "/terminals"))
            limited(owner.client().post(path, path.endsWith("execs") ? HANG : Map.of()), "limits.execs_per_caller");
        assertThat(people.member("main", "owner")
                        .client()
                        .post(SANDBOX + "/execs", HANG)
                        .status())
                .isEqualTo(202);
        assertThat(gateway.client.post(SANDBOX + "/execs", HANG).status()).isEqualTo(202);
        String first = running.getFirst().header("Location");
        owner.client().delete(first);
        owner.client().get(first + "?wait_ms=60000");
        assertThat(owner.client().post(SANDBOX + "/execs", HANG).status()).isEqualTo(202);
    }

    @Test
    void streams_and_sockets_of_one_caller_are_limited_together() throws Exception {
        var owner = people.member("main", "owner");
        String events = gateway.client.post(SANDBOX + "/execs", HANG).header("Location") + "/events";
        String terminal = gateway.client.post(SANDBOX + "/terminals", Map.of()).header("Location");
        var streams = new ArrayList<Raw>();
        try (var socket = TestSocket.open(gateway.port(), terminal, owner.token())) {
            socket.message("replay");
            for (int i = 1; i < TestGateway.STREAMS_PER_CALLER; i++) {
                var stream = new Raw(gateway.port());
                streams.add(stream);
                stream.send(Raw.request("GET " + events, "Authorization: Bearer " + owner.token()));
                stream.readUntil("event: start\n");
            }
            limited(owner.client().get(events), "limits.streams_per_caller");
            assertThat(Raw.exchange(gateway.port(), Raw.handshake(terminal, "Authorization: Bearer " + owner.token())))
                    .startsWith("HTTP/1.1 429 ")
                    .contains("Retry-After: 5");
            try (var another = TestSocket.open(gateway.port(), terminal)) {
                another.message("replay");
            }
        } finally {
            streams.forEach(Raw::close);
        }
    }

    @Test
    void an_agent_has_only_so_many_sandboxes_whoever_adds_them() {
        for (int i = 1; i < TestGateway.SANDBOXES_PER_AGENT; i++)
            assertThat(add("s" + i).status()).isEqualTo(201);
        var refused = add("more");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.text()).contains("limits.sandboxes_per_agent");
        gateway.client.delete("/api/agents/main/sandboxes/s1");
        assertThat(add("more").status()).isEqualTo(201);
    }

    @Test
    void sixteen_sandboxes_added_at_once_do_not_exceed_the_limit() throws Exception {
        var racers = new ArrayList<java.util.concurrent.Callable<Answer>>();
        for (int i = 0; i < 16; i++) {
            String alias = "s" + i;
            racers.add(() -> add(alias));
        }
        assertThat(Racing.of(racers).results())
                .filteredOn(each -> each.status() == 201)
                .hasSize(TestGateway.SANDBOXES_PER_AGENT - 1);
    }

    @Test
    void a_person_makes_so_many_agents_and_then_one_after_each_part_of_an_hour() {
        var ada = people.person("Ada");
        assertThat(ada.client().post("/api/agents", Map.of("id", "Not An Id")).status())
                .isEqualTo(400);
        for (int i = 0; i < TestGateway.AGENTS_PER_HOUR; i++)
            assertThat(make(ada, "a" + i).status()).isEqualTo(201);
        var refused = make(ada, "more");
        limited(refused, "limits.agents_per_hour");
        assertThat(refused.header("Retry-After")).isEqualTo("1200");
        assertThat(make(people.person("Bob"), "bobs").status()).isEqualTo(201);
        gateway.time.advance(Duration.ofMinutes(20));
        assertThat(make(ada, "more").status()).isEqualTo(201);
        limited(make(ada, "still-more"), "limits.agents_per_hour");
    }

    private static void limited(Answer answer, String limit) {
        assertThat(answer.status()).isEqualTo(429);
        assertThat(answer.code()).isEqualTo("rate_limited");
        assertThat(answer.text()).contains(limit);
        assertThat(answer.header("Retry-After")).isNotEmpty();
    }

    private static Answer make(People.Someone who, String id) {
        return who.client().post("/api/agents", Map.of("id", id));
    }

    private Answer add(String alias) {
        return gateway.client.post("/api/agents/main/sandboxes", Map.of("type", "docker", "alias", alias));
    }
}
