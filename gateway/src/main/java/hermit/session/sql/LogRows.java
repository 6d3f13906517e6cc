package hermit.session.sql;

import static hermit.db.generated.Tables.SESSIONS;
import static hermit.db.generated.Tables.SESSION_EVENTS;

import hermit.db.Jsonb;
import hermit.session.Redaction;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;

/// Events at the end of a session's log. Who appends updates the session's row first, and holds it until
/// the events are there: so numbers have no gaps, and nobody sees one before those below it. All that any
/// log says is written here, and none of it with a secret of the operator's.
public final class LogRows {
    private final Redaction redaction;

    public LogRows(Redaction redaction) {
        this.redaction = redaction;
    }

    /// As part of a transaction that changes something else, too. Nothing is written where the session is gone.
    public void append(DSLContext sql, SessionId id, List<Draft> drafts, Instant now) {
        append(sql, id, SqlSessionStore.THERE, drafts, now);
    }

    /// Like [#append], and the events as they were written; none where the session is gone or, if it must
    /// be open, has ended.
    public List<SessionEvent> write(DSLContext sql, SessionId id, boolean mustBeOpen, List<Draft> drafts, Instant now) {
        return append(sql, id, mustBeOpen ? SqlSessionStore.OPEN : SqlSessionStore.THERE, drafts, now);
    }

    /// The events as they were written; none where no session is as it must be.
    List<SessionEvent> append(DSLContext sql, SessionId id, Condition session, List<Draft> drafts, Instant now) {
        if (drafts.isEmpty()) return List.of();
        Long last = sql.update(SESSIONS)
                .set(SESSIONS.LAST_SEQ, SESSIONS.LAST_SEQ.plus(drafts.size()))
                .set(SESSIONS.LAST_ACTIVE_AT, now)
                .where(SESSIONS.ID.eq(id.value()), session)
                .returning(SESSIONS.LAST_SEQ)
                .fetchOne(SESSIONS.LAST_SEQ);
        if (last == null) return List.of();
        var events = new ArrayList<SessionEvent>();
        for (Draft draft : redaction.drafts(drafts)) {
            long seq = last - drafts.size() + events.size() + 1;
            sql.insertInto(SESSION_EVENTS)
                    .set(SESSION_EVENTS.SESSION_ID, id.value())
                    .set(SESSION_EVENTS.SEQ, seq)
                    .set(SESSION_EVENTS.TYPE, draft.type().toString())
                    .set(SESSION_EVENTS.DATA, Jsonb.withoutNul(draft.data()))
                    .set(SESSION_EVENTS.CREATED_AT, now)
                    .execute();
            events.add(new SessionEvent(seq, draft.type(), draft.data(), now));
        }
        return List.copyOf(events);
    }
}
