package hermit.session.sql;

import static hermit.db.generated.Tables.SESSIONS;

import hermit.db.Jsonb;
import hermit.db.generated.tables.records.SessionEventsRecord;
import hermit.db.generated.tables.records.SessionsRecord;
import hermit.identity.UserId;
import hermit.session.Author;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionId;
import java.util.Locale;
import java.util.Optional;
import org.jooq.Condition;

/// Sessions and events as columns, and back.
final class SessionRows {
    private SessionRows() {}

    static SessionsRecord write(Session session) {
        var row = new SessionsRecord();
        row.setId(session.id().value());
        row.setAgentUid(session.agentUid());
        row.setOwnerKind(session.owner().kind());
        session.owner().person().map(UserId::value).ifPresent(row::setUserId);
        session.via().ifPresent(via -> {
            row.setChannel(via.channel());
            row.setChannelUserId(via.channelUserId());
        });
        row.setSource(Jsonb.of(session.source()));
        row.setMetadata(Jsonb.of(session.metadata()));
        row.setLastSeq(session.lastSeq());
        row.setCreatedAt(session.createdAt());
        row.setLastActiveAt(session.lastActiveAt());
        session.end().ifPresent(end -> {
            row.setEndedAt(end.at());
            row.setEndReason(end.reason());
        });
        return row;
    }

    static Session read(SessionsRecord row) {
        return new Session(
                new SessionId(row.getId()),
                row.getAgentUid(),
                Author.of(
                        row.getOwnerKind(), Optional.ofNullable(row.getUserId()).map(UserId::new), row.getAgentUid()),
                Optional.ofNullable(row.getChannel()).map(channel -> new Session.Via(channel, row.getChannelUserId())),
                Jsonb.object(row.getSource()),
                Jsonb.object(row.getMetadata()),
                row.getLastSeq(),
                row.getCreatedAt(),
                row.getLastActiveAt(),
                Optional.ofNullable(row.getEndedAt()).map(at -> new Session.End(at, row.getEndReason())));
    }

    static SessionEvent event(SessionEventsRecord row) {
        return new SessionEvent(
                row.getSeq(),
                SessionEvent.Type.valueOf(row.getType().toUpperCase(Locale.ROOT)),
                Jsonb.object(row.getData()),
                row.getCreatedAt());
    }

    static Condition ownedBy(Author owner) {
        Condition kind = SESSIONS.OWNER_KIND.eq(owner.kind());
        return owner.person()
                .map(person -> kind.and(SESSIONS.USER_ID.eq(person.value())))
                .orElse(kind);
    }
}
