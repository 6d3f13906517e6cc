package hermit.audit.http;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.access.RoutePolicies;
import hermit.http.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class AuditActionsTest {
    private static final String TABLE = """
            POST /api/agents agents.create
            DELETE /api/agents/{id} agents.delete
            PUT /api/agents/{id}/config config.replace
            PUT /api/agents/{id}/security security.replace
            POST /api/agents/{id}/members members.create
            PUT /api/agents/{id}/members/{user_id} members.replace
            DELETE /api/agents/{id}/members/{user_id} members.delete
            POST /api/users users.create
            DELETE /api/users/{user_id} users.delete
            POST /api/users/{user_id}/identities identities.create
            DELETE /api/users/{user_id}/identities identities.delete
            POST /api/users/{user_id}/merge users.merge
            POST /api/tokens tokens.create
            DELETE /api/tokens/{token_id} tokens.delete
            POST /api/auth/login auth.login
            POST /api/auth/logout auth.logout
            POST /api/auth/ticket auth.ticket
            POST /api/agents/{id}/sandboxes sandboxes.create
            POST /api/sandboxes/{uuid}/reclaim sandboxes.reclaim
            POST /api/skills/scan skills.scan
            POST /api/skills/{skill}/enable skills.enable
            POST /api/skills/{skill}/disable skills.disable
            POST /api/agents/{id}/skills/{skill}/enable skills.enable
            POST /api/agents/{id}/skills/{skill}/disable skills.disable
            PATCH /api/agents/{id}/sandboxes/{alias} sandboxes.change
            DELETE /api/agents/{id}/sandboxes/{alias} sandboxes.delete
            POST /api/agents/{id}/sandboxes/{alias}/start sandboxes.start
            POST /api/agents/{id}/sandboxes/{alias}/stop sandboxes.stop
            POST /api/agents/{id}/sandboxes/{alias}/execs execs.create
            DELETE /api/agents/{id}/sandboxes/{alias}/execs/{exec_id} execs.delete
            POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/stdin execs.stdin
            POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/signal execs.signal
            POST /api/agents/{id}/sandboxes/{alias}/terminals terminals.create
            DELETE /api/agents/{id}/sandboxes/{alias}/terminals/{tid} terminals.delete
            WS /api/agents/{id}/sandboxes/{alias}/terminals/{tid} terminals.open
            PUT /api/agents/{id}/sandboxes/{alias}/files files.replace
            DELETE /api/agents/{id}/sandboxes/{alias}/files files.delete
            PUT /api/agents/{id}/sandboxes/{alias}/files/archive archive.replace
            POST /api/agents/{id}/sandboxes/{alias}/files/mkdir files.mkdir
            POST /api/agents/{id}/sandboxes/{alias}/files/move files.move
            POST /api/agents/{id}/sessions sessions.create
            DELETE /api/agents/{id}/sessions/{sid} sessions.delete
            POST /api/agents/{id}/sessions/{sid}/end sessions.end
            POST /api/agents/{id}/sessions/{sid}/messages messages.create
            POST /api/agents/{id}/sessions/{sid}/tools/{tool} tools.call
            POST /api/agents/{id}/sessions/{sid}/cancel sessions.cancel
            WS /api/agents/{id}/ws ws.open
            POST /api/agents/{id}/mcp mcp.call
            DELETE /api/agents/{id}/mcp mcp.delete
            POST /api/approvals/{approval_id}/decision approvals.decision
            DELETE /api/approval-rules/{rule_id} approval-rules.delete
            """;

    @Test
    void every_route_that_changes_something_has_the_action_that_is_written_here() {
        var written = new LinkedHashMap<String, String>();
        TABLE.lines().forEach(line -> {
            int sign = line.lastIndexOf(' ');
            written.put(line.substring(0, sign), line.substring(sign + 1));
        });
        Map<String, String> found = new LinkedHashMap<>();
        for (String route : RoutePolicies.ofTheGateway().routes()) {
            String[] words = route.split(" ", -1);
            var method = Method.valueOf(words[0]);
            if (method != Method.GET) found.put(route, AuditActions.of(method, words[1]));
        }
        assertThat(found).containsExactlyInAnyOrderEntriesOf(written);
    }

    @Test
    void a_route_that_only_reads_has_one_too_for_when_it_is_refused() {
        assertThat(AuditActions.of(Method.GET, "/api/agents/{id}/config")).isEqualTo("config.read");
        assertThat(AuditActions.of(Method.GET, "/metrics")).isEqualTo("metrics.read");
    }
}
