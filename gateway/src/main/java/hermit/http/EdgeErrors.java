package hermit.http;

import hermit.problem.ProblemCode;
import java.util.Map;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/// Answers what the server itself refuses before any route is asked: broken HTTP, headers that are too large.
final class EdgeErrors extends ErrorHandler {
    private final CoreReply reply;

    EdgeErrors(CoreReply reply) {
        this.reply = reply;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        int status = response.getStatus();
        if (request.getAttribute(ERROR_EXCEPTION) instanceof HttpException refusal) status = refusal.getCode();
        reply.problem(response, callback, answer(status));
        return true;
    }

    static Problems.Answer answer(int status) {
        return switch (status) {
            case 404 -> Problems.of(ProblemCode.NOT_FOUND, 404, "There is nothing at this path", Map.of());
            case 413 -> Problems.of(ProblemCode.TOO_LARGE, 413, "The request is too large", Map.of());
            case 414 -> Problems.of(ProblemCode.TOO_LARGE, 414, "The request's target is too long", Map.of());
            case 431 -> Problems.of(ProblemCode.TOO_LARGE, 431, "The request's headers are too large", Map.of());
            case 503 -> Problems.closing();
            case 505 -> Problems.of(ProblemCode.INVALID, 505, "Only HTTP/1.0 and HTTP/1.1 are spoken here", Map.of());
            default ->
                status >= 500
                        ? Problems.of(ProblemCode.INTERNAL, status, "The server could not answer", Map.of())
                        : Problems.of(ProblemCode.INVALID, status, "The request is not well-formed HTTP", Map.of());
        };
    }
}
