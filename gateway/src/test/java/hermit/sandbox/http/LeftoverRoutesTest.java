package hermit.sandbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.TestGateway;
import hermit.http.TestClient.Answer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class LeftoverRoutesTest {
    private static final String SANDBOXES = "/api/agents/main/sandboxes";
    private static final String LEFTOVERS = "/api/sandboxes/leftovers";

    private final TestGateway gateway = new TestGateway();
    private UUID id;

    @BeforeEach
    void an_agent_with_a_cloud_sandbox_that_runs() {
        gateway.client.send("POST", "/api/agents", "{\"id\":\"main\",\"sandbox\":null}");
        var added = gateway.client.post(SANDBOXES, Map.of("type", "e2b", "alias", "cloud"));
        id = UUID.fromString((String) added.object().get("id"));
        assertThat(gateway.client.send("POST", SANDBOXES + "/cloud/start", "").status())
                .isEqualTo(200);
    }

    @AfterEach
    void close() {
        gateway.close();
    }

    private List<Map<String, Object>> leftovers() {
        return gateway.client.get(LEFTOVERS).items();
    }

    private Answer reclaim(Object sandbox) {
        return gateway.client.send("POST", "/api/sandboxes/" + sandbox + "/reclaim", "");
    }

    @Test
    void a_machine_in_use_is_none() {
        assertThat(leftovers()).isEmpty();
        assertThat(reclaim(id).status()).isEqualTo(404);
        assertThat(gateway.e2b.state(id)).isPresent();
    }

    @Test
    void a_deleted_row_leaves_its_cloud_machine_which_is_listed_and_reclaimed_once() {
        assertThat(gateway.client.delete(SANDBOXES + "/cloud").status()).isEqualTo(204);
        assertThat(gateway.e2b.state(id)).isPresent();
        assertThat(leftovers())
                .singleElement()
                .satisfies(each -> assertThat(each)
                        .containsEntry("sandbox_id", id.toString())
                        .containsEntry("agent_id", "main")
                        .containsEntry("alias", "cloud")
                        .containsEntry("type", "e2b")
                        .containsEntry("external_id", "fake-cloud")
                        .containsEntry("state", "running")
                        .containsKey("deleted_at"));

        assertThat(reclaim(id).items()).hasSize(1);
        assertThat(gateway.e2b.state(id)).isEmpty();
        assertThat(leftovers()).isEmpty();
        assertThat(reclaim(id).status()).isEqualTo(404);
    }

    @Test
    void deleting_with_destroy_takes_the_machine_along() {
        assertThat(gateway.client.delete(SANDBOXES + "/cloud?destroy=true").status())
                .isEqualTo(204);
        assertThat(gateway.e2b.state(id)).isEmpty();
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void a_destroy_that_fails_deletes_the_row_says_so_and_lists_the_machine() {
        gateway.e2b.down = true;
        var answer = gateway.client.delete(SANDBOXES + "/cloud?destroy=true");
        assertThat(answer.status()).isEqualTo(502);
        assertThat(answer.code()).isEqualTo("provider_error");
        assertThat(answer.text()).contains("left over");
        assertThat(gateway.client.get(SANDBOXES + "/cloud").status()).isEqualTo(404);

        var listing = gateway.client.get(LEFTOVERS);
        assertThat(listing.items())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("state", null));
        assertThat(listing.text()).contains("\"unreachable\":[{\"type\":\"e2b\",\"detail\":\"the fake is down\"}]");
        assertThat(reclaim(id).status()).isEqualTo(503);

        gateway.e2b.down = false;
        assertThat(reclaim(id).status()).isEqualTo(200);
        assertThat(gateway.e2b.state(id)).isEmpty();
    }

    @Test
    void a_machine_of_a_row_that_this_database_does_not_have_is_listed_too() {
        var unknown = new UUID(7, 7);
        gateway.e2b.addUnknown(unknown, "stray");
        assertThat(leftovers())
                .singleElement()
                .satisfies(each -> assertThat(each)
                        .containsEntry("sandbox_id", unknown.toString())
                        .containsEntry("agent_id", null)
                        .containsEntry("deleted_at", null));
        assertThat(reclaim(unknown).status()).isEqualTo(200);
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void what_a_lost_machine_leaves_in_the_records_is_named_and_cleared() {
        gateway.client.delete(SANDBOXES + "/cloud");
        gateway.e2b.lose(id);
        assertThat(leftovers())
                .singleElement()
                .satisfies(each -> assertThat(each).containsEntry("state", "absent"));
        assertThat(reclaim(id).status()).isEqualTo(200);
        assertThat(leftovers()).isEmpty();
    }

    @Test
    void an_id_that_is_none_is_not_found() {
        assertThat(reclaim("x").status()).isEqualTo(404);
        assertThat(reclaim(new UUID(9, 9)).status()).isEqualTo(404);
    }
}
