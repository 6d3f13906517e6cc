package hermit.http;

import hermit.problem.GatewayException;
import io.javalin.http.Context;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers with the bytes of a file that somebody in a sandbox has made: to be saved, never to be shown or run by a
/// browser as if the gateway had said it.
final class Downloads {
    private static final Logger LOG = LoggerFactory.getLogger(Downloads.class);

    private Downloads() {}

    static void send(Context context, Reply.Download reply, Trace trace, Transfer transfer)
            throws InterruptedException {
        try (Pieces pieces = reply.pieces()) {
            headers(context.res(), reply);
            if (!context.req().getMethod().equals("HEAD"))
                pass(pieces, context.res().getOutputStream(), trace, transfer);
        } catch (IOException e) {
            throw new ClientGone(e);
        }
    }

    private static void pass(Pieces pieces, OutputStream out, Trace trace, Transfer transfer)
            throws InterruptedException {
        try {
            for (Optional<byte[]> piece = pieces.next(); piece.isPresent(); piece = pieces.next())
                transfer.send(out, piece.get());
        } catch (GatewayException e) {
            // The status has been promised already. A short answer must not look like a whole one.
            LOG.warn("Request {} is broken off: {}", trace.id(), e.detail());
            transfer.breakOff(out);
            throw new ClientGone();
        } catch (InterruptedException | RuntimeException | Error e) {
            transfer.breakOff(out);
            throw e;
        }
    }

    private static void headers(HttpServletResponse response, Reply.Download reply) {
        response.setStatus(reply.status());
        response.setContentType(reply.contentType());
        reply.headers().forEach(response::setHeader);
        reply.length().ifPresent(response::setContentLengthLong);
        response.setHeader("Content-Disposition", "attachment; filename*=UTF-8''" + encoded(reply.fileName()));
        response.setHeader("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'");
    }

    /// As RFC 8187 wants it: all but letters, digits and a few signs as `%HH`.
    private static String encoded(String name) {
        var text = new StringBuilder();
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || "!#$&+-.^_`|~".indexOf(c) >= 0);
            text.append(plain ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return text.toString();
    }
}
