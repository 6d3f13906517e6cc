package hermit.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.GatewayClient;
import hermit.api.GatewayClientException;
import hermit.api.JsonTree;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// The session that a conversation is held in.
///
/// - `me`: how the session's events name the caller; `mayChange`: whether the token changes anything.
/// - `past`: the number of the last event that there was when it was opened.
record ChatSession(GatewayClient gateway, String agent, String id, String me, boolean mayChange, long past) {
    /// Among which the last one is looked for.
    private static final int NEWEST = 200;

    /// A new session.
    static ChatSession open(CliContext cli, String agent, boolean interactive)
            throws CliFailure, GatewayClientException {
        return of(cli, agent, interactive, JsonTree.object());
    }

    /// An earlier session, opened again.
    static ChatSession resume(CliContext cli, String agent, boolean interactive, String id)
            throws CliFailure, GatewayClientException {
        return of(cli, agent, interactive, JsonTree.object().put("session_id", id));
    }

    /// The caller's own session in which something has happened last.
    static ChatSession last(CliContext cli, String agent, boolean interactive)
            throws CliFailure, GatewayClientException {
        var me = cli.gateway().get(GatewayClient.path("me")).path("caller").asText();
        JsonNode items = cli.list(Sessions.path(agent), "", NEWEST).path("items");
        Optional<JsonNode> last = StreamSupport.stream(items.spliterator(), false)
                .filter(each -> each.path("owner").asText().equals(me))
                .max(Comparator.comparing(
                        each -> Instant.parse(each.path("last_active_at").asText())));
        if (last.isEmpty())
            throw new CliFailure(
                    ExitCode.REFUSED, "not_found", "You have no session with agent '%s' yet".formatted(agent));
        return resume(cli, agent, interactive, last.get().path("session_id").asText());
    }

    private static ChatSession of(CliContext cli, String agent, boolean interactive, ObjectNode body)
            throws CliFailure, GatewayClientException {
        GatewayClient gateway = cli.gateway();
        JsonNode me = gateway.get(GatewayClient.path("me"));
        body.putObject("source").put("kind", "cli").put("interactive", interactive);
        JsonNode opened = gateway.post(Sessions.path(agent), body);
        return new ChatSession(
                gateway,
                agent,
                opened.path("session_id").asText(),
                me.path("caller").asText(),
                !me.path("read_only").asBoolean(),
                opened.path("last_event_id").asLong());
    }

    private String path(String... rest) {
        var segments = new String[rest.length + 1];
        segments[0] = id;
        System.arraycopy(rest, 0, segments, 1, rest.length);
        return Sessions.path(agent, segments);
    }

    /// Says something. Answers with its event, whose `data.turn_id` is there if somebody answers.
    JsonNode say(String text) throws GatewayClientException {
        return gateway.post(path("messages"), JsonTree.object().put("text", text));
    }

    JsonNode turn(String turnId) throws GatewayClientException {
        return gateway.get(path("turns", turnId));
    }

    /// Cancels all that is under way in it.
    void cancel() throws GatewayClientException {
        gateway.post(path("cancel"));
    }

    /// The events behind this one.
    Following.Source events(long after) {
        var beginning = Optional.of(Long.toString(after));
        return last -> gateway.resume(path("events"), last.or(() -> beginning));
    }

    JsonNode approval(String approvalId) throws GatewayClientException {
        return gateway.get(Approvals.path(approvalId));
    }

    void decide(String approvalId, ObjectNode decision) throws GatewayClientException {
        gateway.post(Approvals.path(approvalId) + "/decision", decision);
    }

    /// Whether the decision is the caller's: their inbox has the approval.
    boolean mayDecide(CliContext cli, String approvalId) throws CliFailure, GatewayClientException {
        if (!mayChange) return false;
        try {
            JsonNode inbox = cli.list(GatewayClient.path("approvals"), "&state=pending", Integer.MAX_VALUE);
            return StreamSupport.stream(inbox.path("items").spliterator(), false)
                    .anyMatch(each -> each.path("id").asText().equals(approvalId));
        } catch (GatewayClientException.Refused e) {
            // Programs have no inbox.
            if (e.status() == 403) return false;
            throw e;
        }
    }
}
