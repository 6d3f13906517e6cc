package hermit.turn.sql;

import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;

/// Writes to a session's log within a transaction that is open, and takes the session's row by it. The
/// events as they were written; none where the session is gone or, if it must be open, has ended.
@FunctionalInterface
public interface LogWriter {
    List<SessionEvent> write(DSLContext sql, SessionId id, boolean mustBeOpen, List<Draft> drafts, Instant now);
}
