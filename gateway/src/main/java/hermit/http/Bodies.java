package hermit.http;

import hermit.problem.GatewayException;
import hermit.problem.GatewayException.Invalid;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the body of a request, within its limit, whether or not its length was announced.
final class Bodies {
    private static final Logger LOG = LoggerFactory.getLogger(Bodies.class);
    private static final Pattern JSON =
            Pattern.compile("application/json *(?:; *charset=\"?utf-8\"?)? *", Pattern.CASE_INSENSITIVE);
    /// For routes that take no body: enough for `{}` however it is written.
    private static final int NEARLY_NOTHING = 64;

    /// What is read of a refused body. Beyond that the connection is cut.
    private static final int MAX_DRAINED = 32 << 20;

    private Bodies() {}

    /// The JSON object that the route needs.
    static Map<String, Object> object(HttpServletRequest request, int limit) {
        if (!isAbsent(request)) checkType(request);
        return StrictJson.object(read(request, limit));
    }

    /// A route without a body takes none, or an empty object from clients that always send one.
    static void none(HttpServletRequest request) {
        if (isAbsent(request)) return;
        checkType(request);
        byte[] body = read(request, NEARLY_NOTHING);
        if (body.length > 0 && !StrictJson.object(body).isEmpty())
            throw new Invalid("", "this route takes no body, or an empty object");
    }

    /// Throws away what is left of the body of a request that is being refused: most clients send all of it
    /// before they look at the answer, and would only see a broken connection. One that waits to be told to
    /// go on sends nothing.
    static void drain(HttpServletRequest request, Transfer transfer) {
        if (isAbsent(request) || (request.getHeader("Expect") != null && !transfer.hasRead())) return;
        try {
            transfer.body().skipNBytes(MAX_DRAINED);
        } catch (GatewayException | IOException e) {
            LOG.debug("a refused body ended: {}", e.getMessage());
        }
    }

    /// Without a length and without an encoding there is no body (RFC 9112, 6.3).
    private static boolean isAbsent(HttpServletRequest request) {
        return request.getContentLengthLong() <= 0
                && request.getHeader("Transfer-Encoding") == null
                && request.getContentType() == null;
    }

    private static void checkType(HttpServletRequest request) {
        String type = request.getContentType();
        if (type == null || !JSON.matcher(type).matches())
            throw new Refused(ProblemCode.UNSUPPORTED_MEDIA, "The body must be sent as Content-Type: application/json");
    }

    private static byte[] read(HttpServletRequest request, int limit) {
        if (request.getContentLengthLong() > limit) throw tooLarge(limit);
        byte[] body;
        try {
            body = request.getInputStream().readNBytes(limit + 1);
        } catch (HttpException.RuntimeException | IOException e) {
            throw new Invalid("", "the body ended too early or is not well-formed HTTP");
        }
        if (body.length > limit) throw tooLarge(limit);
        return body;
    }

    private static Refused tooLarge(int limit) {
        return new Refused(
                ProblemCode.TOO_LARGE, "The body is larger than the %d bytes that this route takes".formatted(limit));
    }
}
