package hermit.approval;

import hermit.session.SessionEvent.Draft;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Carries out what was approved.
public interface ApprovedCalls {
    /// Does what `call` says, as it was handed in with the request. Called at most once for each approval.
    Outcome carryOut(Approval approval, Map<String, Object> call) throws InterruptedException;

    /// What became of a call that was under way when the gateway went away. Empty while that may still be
    /// learned.
    Optional<Outcome> learn(Approval approval);

    /// What the session's log says of an outcome. It is stored together with that.
    List<Draft> events(Approval approval, Outcome outcome);

    /// As much of a result as is worth keeping.
    Map<String, Object> kept(Map<String, Object> result);

    /// How it ended.
    sealed interface Outcome {
        /// It was carried out, or has failed for a reason that is in the result.
        record Done(Map<String, Object> result) implements Outcome {}

        /// It has certainly not been carried out.
        record Cancelled(String reason) implements Outcome {}

        record Unknown(String reason) implements Outcome {}
    }
}
