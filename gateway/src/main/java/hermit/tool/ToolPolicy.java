package hermit.tool;

import hermit.access.Role;
import hermit.access.SecurityPolicy;
import hermit.access.SecurityPolicy.AutonomyLevel;

/// Decides what becomes of a call, from values only. It is the one place where that is decided, whichever
/// way the call came in.
public final class ToolPolicy {
    private ToolPolicy() {}

    public sealed interface Verdict {
        record Allowed() implements Verdict {}

        /// A person is asked first.
        record Ask() implements Verdict {}

        record Refused(String why) implements Verdict {}
    }

    public static Verdict decide(SecurityPolicy policy, Role role, Tool tool) {
        if (tool.acts() && policy.autonomyLevel() == AutonomyLevel.READONLY)
            return new Verdict.Refused("This agent is readonly: it runs and writes nothing");
        if (tool.acts() && role == Role.GUEST && !policy.guestsMayRun())
            return new Verdict.Refused("Guests of this agent may not run or write anything");
        boolean asks = policy.autonomyLevel() == AutonomyLevel.SUPERVISED && isListed(policy, tool);
        return asks ? new Verdict.Ask() : new Verdict.Allowed();
    }

    /// `exec` covers every way of running a command.
    private static boolean isListed(SecurityPolicy policy, Tool tool) {
        var listed = policy.requireApprovalFor();
        return listed.contains(tool.toString()) || (tool.runs() && listed.contains(Tool.EXEC.toString()));
    }
}
