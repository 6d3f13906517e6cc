package hermit.command;

import hermit.exec.DiskUse;
import hermit.exec.Exit;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.Conflict;
import hermit.problem.GatewayException.Forbidden;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.ProviderError;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;

/// Why a file operation failed: in the keeper's words, `code<TAB>message`, or by the way in which it ended.
final class FileFailure {
    private FileFailure() {}

    static GatewayException of(String path, Exit.End end, String complaint) {
        String[] said = complaint.strip().split("\t", 2);
        // What it said before it was ended is the better answer: a writer that it no longer listened to cancels it.
        if (said.length == 2) return said(path, said[0], said[1], end);
        boolean full =
                end.disk().filter(disk -> disk.effect() == DiskUse.Effect.ENDED).isPresent();
        if (full)
            return new Refused(
                    ProblemCode.TOO_LARGE,
                    "%s: %s".formatted(path, DiskNotes.of(end).orElseThrow()));
        return ended(path, end.exit(), complaint.strip());
    }

    private static GatewayException said(String path, String code, String message, Exit.End end) {
        String detail = "%s: %s".formatted(path, message);
        return switch (code) {
            case "not_found" -> new NotFound("No such file in the sandbox: " + detail);
            case "exists", "not_empty" -> new Conflict(detail);
            case "not_a_directory", "is_a_directory", "bad_path" -> new Invalid("path", detail);
            case "bad_archive" -> new Invalid("", "the body is not a whole tar archive: " + detail);
            case "denied" -> new Forbidden("The sandbox's user may not do that: " + detail);
            case "disk_limit" -> new Refused(ProblemCode.TOO_LARGE, "%s (%s)".formatted(detail, limit(end)));
            case "too_large", "limit", "no_space" -> new Refused(ProblemCode.TOO_LARGE, detail);
            default -> new ProviderError("file operation on " + detail);
        };
    }

    private static String limit(Exit.End end) {
        return DiskNotes.of(end)
                .or(() -> end.disk().map(disk -> "the workspace's disk_limit is " + disk.limit()))
                .orElse("the workspace's disk_limit");
    }

    private static GatewayException ended(String path, Exit exit, String complaint) {
        return switch (exit) {
            case Exit.Exited(int code) ->
                new ProviderError("file operation on %s: exit code %d %s".formatted(path, code, complaint));
            case Exit.Signaled(int signal) ->
                new ProviderError("file operation on %s: killed by signal %d in the sandbox".formatted(path, signal));
            case Exit.OomKilled _ ->
                new ProviderError("file operation on %s: the sandbox ran out of memory".formatted(path));
            case Exit.TimedOut _ -> new ProviderError("file operation on %s: it took too long".formatted(path));
            case Exit.Cancelled _ ->
                new BackendUnavailable(
                        "file operation on %s: it was cancelled, or the way to the sandbox broke".formatted(path));
            case Exit.SandboxLost(String detail) ->
                new BackendUnavailable("file operation on %s: the sandbox went away: %s".formatted(path, detail));
            case Exit.TransportLost(String detail) ->
                new BackendUnavailable("file operation on %s: %s".formatted(path, detail));
        };
    }
}
