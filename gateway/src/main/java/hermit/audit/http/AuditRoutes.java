package hermit.audit.http;

import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.audit.Audit;
import hermit.audit.AuditFilter;
import hermit.exec.Uuids;
import hermit.http.Pages;
import hermit.http.Query;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Reading the audit. There is no route that changes it.
public final class AuditRoutes implements Routes {
    private final Audit audit;
    private final Agents agents;

    public AuditRoutes(Audit audit, Agents agents) {
        this.audit = audit;
        this.agents = agents;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/api/audit", this::list)
                        .withQuery("limit", "cursor", "agent", "user", "action", "since", "until"),
                Route.get("/api/audit/export", this::export),
                Route.get("/api/audit/verify", this::verify),
                Route.get("/api/agents/{id}/audit", this::listOfAgent)
                        .withQuery("limit", "cursor", "user", "action", "since", "until"));
    }

    private Reply list(Request request) {
        return list(request, request.query().text("agent").map(this::agent));
    }

    private Reply listOfAgent(Request request) {
        return list(request, Optional.of(request.standing().agentUid()));
    }

    private Reply list(Request request, Optional<UUID> agent) {
        Query query = request.query();
        var filter = new AuditFilter(
                agent,
                query.text("user").map(AuditRoutes::who),
                query.text("action"),
                time(query, "since"),
                time(query, "until"));
        return Pages.reply(audit.list(filter, query.page(audit::isKey)), AuditJson::record);
    }

    private Reply export(Request request) {
        return new Reply.Lines(new ExportedLines(audit.all()));
    }

    private Reply verify(Request request) {
        return Reply.ok(AuditJson.verification(audit.verify()));
    }

    /// By its id while it is there, and by its uid also afterwards.
    private UUID agent(String text) {
        Optional<UUID> uid = Uuids.parse(text);
        if (uid.isPresent()) return uid.get();
        try {
            return agents.get(AgentId.inPath(text)).uid();
        } catch (NotFound e) {
            throw new Invalid("agent", "there is no such agent; one that was deleted is named by its uid");
        }
    }

    /// A caller as records name them, or the id of a user.
    private static String who(String text) {
        return Uuids.parse(text).map(id -> "user:" + id).orElse(text);
    }

    private static Optional<Instant> time(Query query, String name) {
        return query.text(name).map(text -> {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new Invalid(name, "must be a time such as 2026-11-01T10:00:00Z");
            }
        });
    }
}
