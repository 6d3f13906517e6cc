package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.api.JsonTree;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditTest extends CliTest {
    private static final String EXPORT = "GET /api/audit/export";
    private static final String RECORD =
            "{\"at\":\"T1\",\"who\":\"admin\",\"address\":\"127.0.0.1\",\"action\":\"agents.create\",\"result\":\"ok\",\"target\":\"/api/agents\"}";

    @Test
    void the_latest_records_are_a_table() {
        gateway.on("GET /api/audit?limit=50", 200, list(RECORD));
        assertThat(hermit("audit", "list").out()).isEqualTo("""
                AT  WHO    ADDRESS    ACTION         RESULT  TARGET
                T1  admin  127.0.0.1  agents.create  ok      /api/agents
                """);
    }

    @Test
    void more_than_a_page_is_read_page_by_page() {
        gateway.on("GET /api/audit?limit=1000", 200, "{\"items\":[%s],\"next_cursor\":\"c\"}".formatted(RECORD))
                .on("GET /api/audit?limit=1000&cursor=c", 200, list(RECORD));
        assertThat(hermit("audit", "list", "--limit", "2000", "--json").json().path("items"))
                .hasSize(2);
    }

    @Test
    void filters_go_with_every_page() {
        gateway.on(
                        "GET /api/audit?limit=50&user=admin&action=agents&since=2026-11-01T00%3A00%3A00Z&until=2026-11-02T00%3A00%3A00%2B01%3A00",
                        200, "{\"items\":[],\"next_cursor\":\"c\"}")
                .on(
                        "GET /api/audit?limit=50&user=admin&action=agents&since=2026-11-01T00%3A00%3A00Z&until=2026-11-02T00%3A00%3A00%2B01%3A00&cursor=c",
                        200, list(RECORD));
        var ended = hermit(
                "audit",
                "list",
                "--user",
                "admin",
                "--action",
                "agents",
                "--since",
                "2026-11-01T00:00:00Z",
                "--until",
                "2026-11-02T00:00:00+01:00",
                "--json");
        assertThat(ended.json().path("items")).hasSize(1);
    }

    @Test
    void an_agent_is_asked_as_its_owner_may_and_one_that_is_gone_by_its_uid() {
        var uid = "0190d5e0-7c1a-7c3e-9d54-2f6c1d0a4b11";
        env.put("HERMIT_AGENT", "bob");
        gateway.on("GET /api/agents/ada/audit?limit=50", 200, list(RECORD))
                .on("GET /api/audit?limit=50&agent=" + uid, 200, list(RECORD))
                .on("GET /api/audit?limit=50", 200, list(RECORD));
        assertThat(hermit("audit", "list", "--agent", "ada").code()).isZero();
        assertThat(hermit("audit", "list", "--agent", uid).code()).isZero();
        assertThat(hermit("audit", "list").code()).isZero();
    }

    @Test
    void an_export_is_passed_on_as_it_comes() {
        var export = RECORD + "\n" + RECORD.replace("admin", "üser") + "\n{\"end\":true,\"records\":2}\n";
        gateway.on(EXPORT, 200, export);
        var ended = hermit("audit", "export");
        assertThat(ended.code()).isZero();
        assertThat(ended.out()).isEqualTo(export);
        assertThat(hermit("audit", "export", "--json").out()).isEqualTo(export);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}\n",
                "{}\n{}\n{\"end\":true,\"records\":3}\n",
                "{\"end\":true,\"records\":1}\n{}\n",
                "{}\n{\"end\":true,\"rec",
            })
    void an_export_without_its_end_is_a_failure(String export) {
        gateway.on(EXPORT, exchange -> FakeGateway.send(exchange, 200, "application/x-ndjson", export));
        var ended = hermit("audit", "export");
        assertThat(ended.code()).isEqualTo(4);
        assertThat(ended.err()).contains("The export is not complete");
    }

    @Test
    void an_export_that_breaks_off_says_so_in_its_last_line() throws Exception {
        gateway.on(EXPORT, exchange -> {
            exchange.sendResponseHeaders(200, 1_000);
            exchange.getResponseBody().write((RECORD + "\n").getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
        });
        var ended = hermit("audit", "export", "--json");
        assertThat(ended.code()).isEqualTo(4);
        var lines = ended.out().lines().toList();
        assertThat(lines).hasSize(2).first().isEqualTo(RECORD);
        assertThat(JsonTree.parse(lines.getLast()).path("code").asText()).isEqualTo("incomplete");
    }

    @Test
    void a_refused_export_prints_no_records() {
        gateway.problem(EXPORT, 403, "forbidden", "for the admin");
        var ended = hermit("audit", "export");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out()).isEmpty();
    }

    @Test
    void verifying_tells_by_its_exit_code_whether_the_chains_are_whole() {
        gateway.on(
                "GET /api/audit/verify",
                200,
                "{\"state\":\"intact\",\"chains\":[{\"gateway\":\"g1\",\"records\":7,\"first_broken\":null}]}");
        var intact = hermit("audit", "verify");
        assertThat(intact.code()).isZero();
        assertThat(intact.out()).isEqualTo("GATEWAY  RECORDS  FIRST BROKEN\ng1       7        —\n");
        gateway.on(
                "GET /api/audit/verify",
                200,
                "{\"state\":\"broken\",\"chains\":[{\"gateway\":\"g1\",\"records\":7,\"first_broken\":3}]}");
        var broken = hermit("audit", "verify");
        assertThat(broken.code()).isEqualTo(4);
        assertThat(broken.err()).isEqualTo("hermit: The audit is broken\n");
        assertThat(hermit("audit", "verify", "--json").json().path("state").asText())
                .isEqualTo("broken");
    }
}
