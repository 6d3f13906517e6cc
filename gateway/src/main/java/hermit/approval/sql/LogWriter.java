package hermit.approval.sql;

import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;

/// Writes to a session's log within a transaction that is open. Nothing is written where the session is gone.
@FunctionalInterface
public interface LogWriter {
    void append(DSLContext sql, SessionId id, List<Draft> drafts, Instant now);
}
