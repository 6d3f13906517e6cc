package hermit.access.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.People;
import hermit.People.Someone;
import hermit.TestGateway;
import hermit.http.Raw;
import hermit.http.TestSocket;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What was let in ends when the right is taken away. The gateway looks every two seconds; here it looks when it is
/// told.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class RevocationTest {
    private static final String SANDBOX = "/api/agents/main/sandboxes/default";

    private final TestGateway gateway = new TestGateway();
    private final People people = new People(gateway);

    @SuppressWarnings("ImmutableEnumChecker") // what its constants do has no state
    enum Taking {
        MEMBERSHIP((gateway, who) -> gateway.client.delete("/api/agents/main/members/" + who.id())),
        ROLE((gateway, who) -> gateway.client.put("/api/agents/main/members/" + who.id(), Map.of("role", "user"))),
        TOKEN((gateway, who) -> {
            var token = who.client().get("/api/tokens").items().getFirst();
            gateway.client.delete("/api/tokens/" + token.get("id"));
        }),
        PERSON((gateway, who) -> gateway.client.delete("/api/users/" + who.id())),
        AGENT((gateway, _) -> gateway.client.delete("/api/agents/main"));

        private final BiConsumer<TestGateway, Someone> act;

        Taking(BiConsumer<TestGateway, Someone> act) {
            this.act = act;
        }
    }

    @BeforeEach
    void an_agent_with_another_owner() {
        people.agent("main", "private");
        people.member("main", "owner");
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = Taking.class,
            names = {"MEMBERSHIP", "ROLE", "TOKEN", "PERSON"})
    void an_open_event_stream_ends_with_the_reason(Taking taking) {
        var owner = people.member("main", "owner");
        String exec = gateway.client
                .post(SANDBOX + "/execs", Map.of("command", "echo x; hang", "background", true))
                .header("Location");
        try (var reader = new Raw(gateway.port())) {
            reader.send(Raw.request("GET " + exec + "/events", "Authorization: Bearer " + owner.token()));
            reader.readUntil("event: stdout\n");
            gateway.recheckStreams();
            taking.act.accept(gateway, owner);
            gateway.recheckStreams();
            assertThat(reader.readToEnd()).contains("event: error\n").containsPattern("\"status\":40[134]");
        }
        assertThat(gateway.client.get(exec).object()).containsEntry("state", "running");
    }

    @ParameterizedTest
    @EnumSource(Taking.class)
    void an_open_terminal_is_closed(Taking taking) throws Exception {
        var owner = people.member("main", "owner");
        String terminal = gateway.client.post(SANDBOX + "/terminals", Map.of()).header("Location");
        try (var viewer = TestSocket.open(gateway.port(), terminal, owner.token())) {
            viewer.message("replay");
            gateway.recheckStreams();
            viewer.type("x\n");
            viewer.bytes(2);
            taking.act.accept(gateway, owner);
            gateway.recheckStreams();
            // Deleting an agent ends its terminals, too: whichever comes first.
            assertThat(viewer.closed())
                    .isIn(taking == Taking.AGENT ? new Object[] {1_000, 1_008} : new Object[] {1_008});
        }
    }

    @Test
    void what_others_have_open_goes_on() throws Exception {
        var leaving = people.member("main", "owner");
        var staying = people.member("main", "owner");
        String terminal = gateway.client.post(SANDBOX + "/terminals", Map.of()).header("Location");
        try (var stays = TestSocket.open(gateway.port(), terminal, staying.token());
                var leaves = TestSocket.open(gateway.port(), terminal, leaving.token())) {
            stays.message("replay");
            leaves.message("replay");
            gateway.client.delete("/api/agents/main/members/" + leaving.id());
            gateway.recheckStreams();
            assertThat(leaves.closed()).isEqualTo(1_008);
            stays.type("still\n");
            assertThat(stays.bytes(6)).isEqualTo("still\n");
        }
    }
}
