package hermit.fake.daytona;

import hermit.fake.FakeFailure;
import hermit.fake.Fault;
import hermit.fake.Faults;
import hermit.fake.Journal;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;

/// What all requests have in common: they are written down, meet the faults that wait for them, and are
/// refused in the provider's words.
final class Wire {
    private final Faults faults;
    private final Journal journal;
    private final CountDownLatch closing = new CountDownLatch(1);

    @FunctionalInterface
    interface Answering {
        void answer(Context context) throws InterruptedException;
    }

    Wire(Faults faults, Journal journal) {
        this.faults = faults;
        this.journal = journal;
    }

    /// A request of the operation that faults call by this name.
    void on(JavalinConfig config, HandlerType method, String path, String operation, Answering answering) {
        config.routes.addHttpHandler(method, path, context -> {
            write(context, context.bodyAsBytes());
            run(context, operation, answering);
        });
    }

    /// Before a WebSocket opens: a refusal, by fault or by `check`, is the handshake's answer.
    void beforeUpgrade(JavalinConfig config, String path, String operation, Answering check) {
        config.routes.wsBeforeUpgrade(path, context -> {
            write(context, new byte[0]);
            run(context, operation, check);
            if (context.statusCode() >= 300) context.skipRemainingHandlers();
        });
    }

    /// Lets go of those who wait for an answer that never comes.
    void close() {
        closing.countDown();
    }

    private void run(Context context, String operation, Answering answering) throws InterruptedException {
        var fault = faults.next(operation).orElse(null);
        if (fault instanceof Fault.Kind.Answer(var status, var headers, var body)) {
            headers.forEach(context::header);
            context.status(status).result(body);
            return;
        }
        if (fault instanceof Fault.Kind.Delay(var by)) Thread.sleep(by);
        if (fault instanceof Fault.Kind.Special(var name)) context.attribute("fault", name);
        if (fault instanceof Fault.Kind.Cut(var after)) context.attribute("cut", after);
        try {
            answering.answer(context);
        } catch (Refused e) {
            refuse(context, e);
        } catch (FakeFailure e) {
            refuse(context, Refused.daemon(500, "INTERNAL_SERVER_ERROR", String.valueOf(e.getMessage())));
        }
        if (fault instanceof Fault.Kind.Stall) closing.await();
        if (fault instanceof Fault.Kind.Stall || fault instanceof Fault.Kind.Lose)
            ServletContextRequest.getServletContextRequest(context.req())
                    .getConnectionMetaData()
                    .getConnection()
                    .getEndPoint()
                    .close();
    }

    private static void refuse(Context context, Refused refused) {
        var body = Json.object();
        if (refused.source().isEmpty()) {
            body.put("path", context.path()).put("timestamp", Machine.now().toString());
            body.put("statusCode", refused.status()).put("error", reason(refused.status()));
            body.put("message", refused.text());
        } else {
            body.put("statusCode", refused.status()).put("message", refused.text());
            body.put("code", refused.code()).put("source", refused.source());
            body.put("timestamp", Machine.now().toString());
            body.put("path", path(context.path(), refused));
            body.put("method", context.method().name());
        }
        context.status(refused.status())
                .contentType("application/json; charset=utf-8")
                .result(body.toString());
    }

    /// The proxy shows the path as it came or as it goes on from there, the daemon its own.
    private static String path(String path, Refused refused) {
        if (!refused.source().equals("DAYTONA_PROXY")) return path.replaceFirst("^/toolbox/[^/]*", "");
        return refused.status() == 401 ? path : path.replaceFirst("^/toolbox/([^/]*)", "/sandboxes/$1/toolbox");
    }

    static void json(Context context, int status, Object body) {
        context.status(status).contentType("application/json; charset=utf-8").result(Json.write(body));
    }

    private static String reason(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 404 -> "Not Found";
            case 409 -> "Conflict";
            case 422 -> "Unprocessable Entity";
            default -> "Error";
        };
    }

    private void write(Context context, byte[] body) {
        Map<String, String> headers = new TreeMap<>();
        context.headerMap().forEach((name, value) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), value));
        String query = context.queryString();
        journal.add(new Journal.Entry(
                Instant.now(),
                context.method().name(),
                query == null ? context.path() : context.path() + "?" + query,
                headers,
                text(body)));
    }

    private static String text(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(java.nio.ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException _) {
            return Base64.getEncoder().encodeToString(body);
        }
    }
}
