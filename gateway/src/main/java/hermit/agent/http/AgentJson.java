package hermit.agent.http;

import hermit.agent.Agent;

/// An agent as it travels.
public final class AgentJson {
    private AgentJson() {}

    public static hermit.api.Agent of(Agent agent) {
        return new hermit.api.Agent(
                agent.id().value(), agent.uid(), agent.name(), agent.createdAt(), agent.updatedAt());
    }
}
