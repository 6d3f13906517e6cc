package hermit.agent.http;

import hermit.agent.Agent;
import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import java.util.List;
import java.util.OptionalLong;

/// Reading agents, and reading and replacing their config.
public final class AgentRoutes implements Routes {
    private final Agents agents;
    private final VisibleAgents visible;

    public AgentRoutes(Agents agents, VisibleAgents visible) {
        this.agents = agents;
        this.visible = visible;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/api/agents", this::list).withQuery("limit", "cursor"),
                Route.get("/api/agents/{id}", this::get),
                Route.get("/api/agents/{id}/config", this::config),
                Route.put("/api/agents/{id}/config", this::replaceConfig));
    }

    private Reply list(Request request) {
        var page = request.query().page(key -> AgentId.PATTERN.matcher(key).matches());
        var found = visible.to(request).map(uids -> agents.list(uids, page)).orElseGet(() -> agents.list(page));
        return Pages.reply(found, AgentJson::of);
    }

    private Reply get(Request request) {
        return Reply.ok(AgentJson.of(agents.get(id(request))));
    }

    private Reply config(Request request) {
        return config(agents.get(id(request)));
    }

    private Reply replaceConfig(Request request) {
        AgentId id = id(request);
        OptionalLong ifVersion =
                request.header("If-Match").map(VersionTag::parse).orElse(OptionalLong.empty());
        return config(agents.updateConfig(id, ifVersion, request.body()));
    }

    private static Reply config(Agent agent) {
        return Reply.ok(agent.config().given()).withHeader("ETag", VersionTag.of(agent.version()));
    }

    private static AgentId id(Request request) {
        return AgentId.inPath(request.path("id"));
    }
}
