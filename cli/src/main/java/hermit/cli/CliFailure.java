package hermit.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import hermit.api.JsonTree;

/// A command that ends without its result, for a reason that lies on this side of the gateway.
final class CliFailure extends Exception {
    private final int exitCode;
    private final String code;

    /// `code` is for programs, as in the gateway's problem documents; `detail` says what was tried, and with what.
    CliFailure(int exitCode, String code, String detail) {
        super(detail);
        this.exitCode = exitCode;
        this.code = code;
    }

    static CliFailure usage(String detail) {
        return new CliFailure(ExitCode.USAGE, "usage", detail);
    }

    static CliFailure local(String code, String detail) {
        return new CliFailure(ExitCode.LOCAL, code, detail);
    }

    int exitCode() {
        return exitCode;
    }

    ObjectNode document() {
        return problem(code, detail());
    }

    String detail() {
        String message = getMessage();
        return message == null ? code : message;
    }

    /// A problem document like the gateway's, without an HTTP status: there was no HTTP.
    static ObjectNode problem(String code, String detail) {
        return JsonTree.object()
                .put("type", "about:blank")
                .put("title", "hermit could not do it")
                .put("detail", detail)
                .put("code", code);
    }
}
