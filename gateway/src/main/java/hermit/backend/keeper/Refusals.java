package hermit.backend.keeper;

import hermit.problem.GatewayException;
import hermit.problem.ProblemCode;

/// What a caller is told when a command was not started.
final class Refusals {
    private Refusals() {}

    static GatewayException of(Refusal refusal, StartRequest request) {
        String program = request.argv().getFirst();
        return switch (refusal.code()) {
            case CWD_NOT_FOUND -> GatewayException.Invalid.cwdNotFound(request.cwd());
            case USER_NOT_FOUND ->
                new GatewayException.Unsupported("the image has no user '%s'".formatted(request.user()));
            case PROGRAM_NOT_FOUND ->
                new GatewayException.Unsupported("the image has no shell '%s'".formatted(program));
            case NOT_EXECUTABLE ->
                new GatewayException.Unsupported("the image's shell '%s' cannot be executed".formatted(program));
            case NO_RESOURCES ->
                new GatewayException.Conflict(
                        ProblemCode.BUSY,
                        "the sandbox has no room for another process: its pids_limit or memory_limit is reached (%s)"
                                .formatted(refusal.message()));
            case TOO_MANY ->
                new GatewayException.Conflict(ProblemCode.BUSY, "the sandbox runs as many commands as it can at once");
            case TOO_LARGE ->
                new GatewayException.Refused(
                        ProblemCode.TOO_LARGE,
                        "the command with its environment is larger than the sandbox takes: " + refusal.message());
            case TOO_OLD ->
                new GatewayException.Conflict(
                        "command id %s is so old that the sandbox cannot know whether it was started before"
                                .formatted(request.id()));
            case BAD_REQUEST, BAD_VERSION, ALREADY_STARTED, UNKNOWN_EXEC, INTERNAL ->
                new GatewayException.ProviderError("start a command in the sandbox: " + refusal);
        };
    }
}
