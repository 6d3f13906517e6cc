package hermit.sandbox.http;

import hermit.agent.Agent;
import hermit.agent.AgentId;
import hermit.agent.http.AgentJson;
import hermit.api.SandboxPresets;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.identity.UserId;
import hermit.problem.GatewayException.RateLimited;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.world.Allowance;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// Making agents with their first sandbox, deleting them with all of theirs, and the presets to choose from.
public final class ProvisioningRoutes implements Routes {
    private final Provisioning provisioning;
    private final Presets presets;
    private final Allowance<UserId> creations;

    /// `creations`: how often a person may make an agent.
    public ProvisioningRoutes(Provisioning provisioning, Presets presets, Allowance<UserId> creations) {
        this.provisioning = provisioning;
        this.presets = presets;
        this.creations = creations;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post("/api/agents", this::create),
                Route.delete("/api/agents/{id}", this::delete),
                Route.get("/api/sandbox-presets", this::presets));
    }

    private Reply create(Request request) {
        Optional<UserId> creator = request.caller().person();
        creator.flatMap(creations::wait).ifPresent(wait -> {
            throw new RateLimited("You have made too many agents, by limits.agents_per_hour", wait);
        });
        Agent agent = provisioning.create(request.body(), creator);
        creator.ifPresent(creations::spend);
        request.isAbout(agent.uid());
        return Reply.created("/api/agents/" + agent.id(), AgentJson.of(agent));
    }

    private Reply delete(Request request) throws InterruptedException {
        provisioning.delete(AgentId.inPath(request.path("id")));
        return Reply.noContent();
    }

    private Reply presets(Request request) {
        var byName = new LinkedHashMap<String, SandboxPresets.Preset>();
        for (Preset preset : presets.all())
            byName.put(
                    preset.name(),
                    new SandboxPresets.Preset(
                            preset.config().type().toString(), preset.config().given()));
        return Reply.ok(new SandboxPresets(byName, presets.auto().map(Preset::name)));
    }
}
