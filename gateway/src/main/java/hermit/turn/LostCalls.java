package hermit.turn;

import hermit.approval.Approvals;
import hermit.session.SessionEvent;
import hermit.session.SessionStore;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Calls of a turn for whose end nobody waits any more.
public final class LostCalls {
    private static final int LONGEST_LOG = 10_000;

    private final SessionStore sessions;
    private final Approvals approvals;

    public LostCalls(SessionStore sessions, Approvals approvals) {
        this.sessions = sessions;
        this.approvals = approvals;
    }

    /// Takes back what a person was asked about them: whoever approved it later would approve it for nobody.
    void takeBack(Turn turn, Collection<WantedCall> calls, String why) {
        approvals.cancel(turn.session(), calls.stream().map(WantedCall::id).collect(Collectors.toSet()), why);
    }

    /// Those of which the log does not say how they ended, and never will by itself: what a person was asked about
    /// has its own end.
    List<WantedCall> untold(Turn turn, Collection<WantedCall> calls) {
        if (calls.isEmpty()) return List.of();
        var told = told(turn);
        return calls.stream()
                .filter(call -> !told.contains(call.id().toString()))
                .filter(call -> approvals.ofCall(turn.session(), call.id()).isEmpty())
                .toList();
    }

    private Set<String> told(Turn turn) {
        var told = new HashSet<String>();
        for (SessionEvent each : sessions.events(
                turn.session(), turn.messageSeq(), EnumSet.of(SessionEvent.Type.TOOL_RESULT), LONGEST_LOG))
            told.add(String.valueOf(each.data().get("call_id")));
        return told;
    }
}
