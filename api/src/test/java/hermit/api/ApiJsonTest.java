package hermit.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ApiJsonTest {
    private final JsonMapper json = ApiJson.mapper();

    @Test
    void names_are_snake_case_and_times_rfc_3339() throws Exception {
        var agent = new Agent("main", new UUID(1, 2), "Main", Instant.EPOCH, Instant.parse("2026-11-01T10:00:00.5Z"));
        String text = json.writeValueAsString(agent);
        assertThat(text).isEqualTo("""
                        {"id":"main","uid":"00000000-0000-0001-0000-000000000002","name":"Main",\
                        "created_at":"1970-01-01T00:00:00Z","updated_at":"2026-11-01T10:00:00.500Z"}""");
        assertThat(json.readValue(text, Agent.class)).isEqualTo(agent);
    }

    @Test
    void what_is_empty_is_null_in_an_answer_and_absent_from_a_request() throws Exception {
        assertThat(json.writeValueAsString(new Page<>(List.of(1), Optional.empty())))
                .isEqualTo("{\"items\":[1],\"next_cursor\":null}");
        assertThat(json.writeValueAsString(CreateAgent.withDefaultSandbox("a"))).isEqualTo("{\"id\":\"a\"}");
        assertThat(json.writeValueAsString(CreateAgent.withoutSandbox("a")))
                .isEqualTo("{\"id\":\"a\",\"sandbox\":null}");
        assertThat(json.writeValueAsString(CreateAgent.withPreset("a", "dev").named("A")))
                .isEqualTo("{\"id\":\"a\",\"name\":\"A\",\"sandbox\":\"dev\"}");
    }

    @Test
    void a_command_comes_back_as_it_was_sent_with_its_summary_beside_its_output() throws Exception {
        var summary = new ExecSummary(
                new UUID(1, 2),
                "ended",
                "admin",
                Optional.of("true"),
                Optional.empty(),
                "/root",
                false,
                Optional.of(300_000L),
                Instant.EPOCH,
                Optional.of(Instant.EPOCH),
                Optional.of(Instant.EPOCH),
                Optional.of(0),
                Optional.of("exited"),
                Optional.empty(),
                false,
                Optional.of(5L),
                2,
                0,
                1,
                List.of("a note"),
                Optional.empty(),
                false);
        var result = new ExecResult(summary, "utf8", "a\n", "", 0, 0, 2, 0, false, false, 0, 0);
        String text = json.writeValueAsString(result);
        assertThat(text)
                .startsWith("{\"exec_id\":\"")
                .contains("\"exit_code\":0")
                .contains("\"stdout\":\"a\\n\"");
        assertThat(json.readValue(text, ExecResult.class)).isEqualTo(result);
    }

    @Test
    void an_older_client_ignores_what_a_newer_gateway_adds() throws Exception {
        String text = "{\"items\":[{\"message\":\"m\",\"level\":\"new\"}],\"next_cursor\":\"x\",\"total\":5}";
        assertThat(json.readValue(text, new TypeReference<Page<ExecNotice>>() {}))
                .isEqualTo(new Page<>(List.of(new ExecNotice("m")), Optional.of("x")));
    }
}
