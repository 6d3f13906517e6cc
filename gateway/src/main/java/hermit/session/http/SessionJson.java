package hermit.session.http;

import hermit.agent.AgentId;
import hermit.identity.UserId;
import hermit.session.Session;
import hermit.session.SessionEvent;

/// Sessions and their events as they travel.
public final class SessionJson {
    private SessionJson() {}

    static hermit.api.Session session(AgentId agent, Session session) {
        return new hermit.api.Session(
                session.id().value(),
                agent.value(),
                session.owner().name(),
                session.owner().person().map(UserId::value),
                session.channel(),
                session.source(),
                session.metadata(),
                session.state(),
                session.lastSeq(),
                session.createdAt(),
                session.lastActiveAt(),
                session.end().map(Session.End::at),
                session.end().map(Session.End::reason));
    }

    public static hermit.api.SessionEvent event(SessionEvent event) {
        return new hermit.api.SessionEvent(event.seq(), event.type().toString(), event.at(), event.data());
    }
}
