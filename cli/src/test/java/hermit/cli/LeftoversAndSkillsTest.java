package hermit.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// `hermit sandbox leftovers` and `reclaim`, and `hermit skills`.
class LeftoversAndSkillsTest extends CliTest {
    private static final String LEFT = """
            {"items":[{"sandbox_id":"s1","agent_id":"main","alias":"cloud","type":"e2b","external_id":"i1","state":"running",
            "detail":"","created_at":null,"deleted_at":"D1"},{"sandbox_id":"s2","agent_id":null,"alias":null,"type":"tenki",
            "external_id":"t1","state":null,"detail":"","created_at":null,"deleted_at":null}],"next_cursor":null,
            "unreachable":[{"type":"tenki","detail":"no answer\\u001b[2J"}]}
            """;
    private static final String SKILLS = """
            {"items":[{"name":"pdf","description":"Reads PDF files.","digest":"d","files":2,"bytes":10,"scanned_at":"C1",
            "enabled":"agent"}],"next_cursor":null}
            """;

    @Test
    void what_is_left_over_is_listed_and_who_could_not_be_asked_is_said() {
        gateway.on("GET /api/sandboxes/leftovers", 200, LEFT);
        var ended = hermit("sandbox", "leftovers");
        assertThat(ended.out()).isEqualTo("""
                SANDBOX ID  AGENT  ALIAS  TYPE   EXTERNAL ID  STATE    DELETED
                s1          main   cloud  e2b    i1           running  D1
                s2          —      —      tenki  t1           —        —
                """);
        assertThat(ended.err()).contains("tenki could not be asked: no answer").doesNotContain("\u001b");
        assertThat(hermit("sandbox", "leftovers", "--json").json().path("items"))
                .hasSize(2);
    }

    @Test
    void one_is_reclaimed_or_only_shown() {
        gateway.on("GET /api/sandboxes/leftovers", 200, LEFT).on("POST /api/sandboxes/s1/reclaim", 200, """
                {"items":[{"sandbox_id":"s1"}],"next_cursor":null,"unreachable":[]}""");
        assertThat(hermit("sandbox", "reclaim", "s1", "--dry-run").out())
                .contains("s1")
                .doesNotContain("s2");
        assertThat(gateway.asked()).noneMatch(asked -> asked.method().equals("POST"));
        assertThat(hermit("sandbox", "reclaim", "s1").out()).isEqualTo("Destroyed 1 machine(s) of sandbox s1\n");
        assertThat(hermit("sandbox", "reclaim", "s9").code()).isEqualTo(1);
    }

    @Test
    void a_sandbox_is_removed_with_its_machine_on_request() {
        gateway.on("DELETE /api/agents/main/sandboxes/cloud?destroy=true", 204, "");
        assertThat(hermit("sandbox", "remove", "cloud", "--destroy").out())
                .isEqualTo("Removed sandbox 'cloud' of agent 'main'\n");
    }

    @Test
    void skills_are_listed_for_an_agent_or_for_all() {
        gateway.on("GET /api/agents/ada/skills", 200, SKILLS).on("GET /api/skills", 200, SKILLS);
        assertThat(hermit("skills", "list", "--agent", "ada").out()).isEqualTo("""
                NAME  ENABLED  FILES  BYTES  DESCRIPTION
                pdf   agent    2      10     Reads PDF files.
                """);
        assertThat(hermit("skills", "list", "--all", "--json").json().path("items"))
                .hasSize(1);
        assertThat(hermit("skills", "list", "--all", "--agent", "ada").err()).contains("either --agent or --all");
    }

    @Test
    void skills_are_given_and_taken() {
        gateway.on("POST /api/agents/main/skills/pdf/enable", 204, "").on("POST /api/skills/pdf/disable", 204, "");
        assertThat(hermit("skills", "enable", "pdf").out()).isEqualTo("Enabled skill 'pdf' for agent 'main'\n");
        assertThat(hermit("skills", "disable", "pdf", "--all").out())
                .isEqualTo("Disabled skill 'pdf' for all agents\n");
        assertThat(hermit("skills", "enable", "nothing").code()).isEqualTo(1);
        assertThat(hermit("skills", "enable").code()).isEqualTo(2);
    }

    @Test
    void a_scan_that_refuses_a_folder_says_why_and_fails() {
        gateway.on("POST /api/skills/scan", 200, """
                {"added":["pdf"],"changed":[],"removed":[],"refused":[{"folder":"x","message":"there is no SKILL.md"}]}""");
        var ended = hermit("skills", "scan");
        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.out()).isEqualTo("1 new, 0 changed, 0 gone, 1 refused\n");
        assertThat(ended.err()).contains("x: there is no SKILL.md");
    }
}
