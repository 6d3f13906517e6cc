package hermit.command;

import hermit.problem.GatewayException.Conflict;

/// What must hold for a command to be started. Asked once the machine is up, and again right before the start.
@FunctionalInterface
public interface Precondition {
    Precondition NONE = _ -> {};

    /// Throws a [hermit.problem.GatewayException] where the command must not run.
    ///
    /// `generation`: of the machine in which it would.
    void require(long generation);

    /// It runs in this generation of the machine or not at all.
    static Precondition generation(long meant) {
        return generation -> {
            if (generation != meant)
                throw new Conflict("The sandbox has another machine now than the one that this was meant for");
        };
    }
}
