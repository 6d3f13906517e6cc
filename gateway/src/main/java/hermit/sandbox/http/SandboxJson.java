package hermit.sandbox.http;

import hermit.api.Sandbox.Lifecycle;
import hermit.api.Sandbox.Lifecycle.Origin;
import hermit.api.Sandbox.Observed;
import hermit.exec.LiveState;
import hermit.sandbox.EffectiveLifecycle;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxView;

/// A row as it travels. Its `runtime_state` never does.
final class SandboxJson {
    private SandboxJson() {}

    static hermit.api.Sandbox of(SandboxView view) {
        Sandbox row = view.sandbox();
        return new hermit.api.Sandbox(
                row.id().value(),
                row.agentId().value(),
                row.alias().value(),
                row.type().toString(),
                row.config().given(),
                row.status().word(),
                row.externalId(),
                row.lastSeenAt(),
                row.generation(),
                row.createdAt(),
                lifecycle(view.lifecycle()),
                view.capabilities().stream().map(Object::toString).sorted().toList(),
                view.runtime().map(SandboxJson::observed));
    }

    private static Lifecycle lifecycle(EffectiveLifecycle lifecycle) {
        return new Lifecycle(
                lifecycle.start().value().toString(),
                lifecycle.stop().value().toString(),
                lifecycle.idleTimeoutMinutes().value(),
                new Origin(
                        lifecycle.start().origin().toString(),
                        lifecycle.stop().origin().toString(),
                        lifecycle.idleTimeoutMinutes().origin().toString()));
    }

    private static Observed observed(LiveState state) {
        return new Observed(state.state().toString(), state.detail(), state.observedAt());
    }
}
