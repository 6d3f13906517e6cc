package hermit.backend.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import hermit.backend.keeper.Scheduler;
import hermit.config.CloudSettings;
import hermit.config.Secret;
import hermit.exec.Progress;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.MissingCredential;
import hermit.problem.GatewayException.ProviderError;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/// One request to the provider: adds the key, keeps its time, bounds the answer, and waits where it was
/// asked too often.
final class Api implements AutoCloseable {
    static final URI HOSTED = URI.create("https://app.daytona.io/api");

    /// The provider holds a create or start up to 30 s.
    static final Duration LIMIT = Duration.ofSeconds(45);

    private static final Duration CONNECT = Duration.ofSeconds(10);
    /// A page of 200 sandboxes has 300 KB.
    private static final long LARGEST_ANSWER = 4L << 20;
    /// Shapes some answers. Any from 0.167.0 on; the one that was recorded.
    private static final String SDK_VERSION = "0.218.0";

    private static final int LONGEST_MESSAGE = 500;

    private final Optional<Secret> key;
    private final URI base;
    private final Scheduler scheduler;
    private final HttpClient http;

    Api(CloudSettings.Daytona settings, Scheduler scheduler) {
        this.key = settings.apiKey();
        this.base = settings.apiUrl().orElse(HOSTED);
        this.scheduler = scheduler;
        // An answer that sends us elsewhere is not followed: the key goes where the operator said.
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT)
                .build();
    }

    Scheduler scheduler() {
        return scheduler;
    }

    /// A path of the main API.
    URI at(String path) {
        return URI.create(base.toString().replaceAll("/+$", "") + path);
    }

    /// The address of a sandbox's daemon. The key is not sent in the clear where the API is reached in
    /// secret.
    URI toolbox(String address, String sandbox, String path) {
        URI uri;
        try {
            uri = URI.create("%s/%s%s".formatted(address.replaceAll("/+$", ""), sandbox, path));
        } catch (IllegalArgumentException e) {
            throw new ProviderError("Daytona gave an address for sandbox %s that is none".formatted(sandbox), e);
        }
        boolean clear = "http".equals(uri.getScheme());
        if (uri.getHost() == null || !(clear ? "http".equals(base.getScheme()) : "https".equals(uri.getScheme())))
            throw new ProviderError("Daytona gave an address for sandbox %s that is not used: %s"
                    .formatted(sandbox, line(address, LONGEST_MESSAGE)));
        return uri;
    }

    Answer get(URI uri) throws IOException, InterruptedException {
        return send(request(uri).GET(), LIMIT, Progress.NONE);
    }

    Answer delete(URI uri) throws IOException, InterruptedException {
        return send(request(uri).DELETE(), LIMIT, Progress.NONE);
    }

    /// Without a body.
    Answer post(URI uri) throws IOException, InterruptedException {
        return send(request(uri).POST(BodyPublishers.noBody()), LIMIT, Progress.NONE);
    }

    Answer post(URI uri, JsonNode body, Duration limit, Progress progress) throws IOException, InterruptedException {
        return post(uri, "application/json", BodyPublishers.ofString(body.toString()), limit, progress);
    }

    Answer post(URI uri, String type, BodyPublisher body, Duration limit, Progress progress)
            throws IOException, InterruptedException {
        return send(request(uri).header("Content-Type", type).POST(body), limit, progress);
    }

    /// A handshake with the key. Completed within the limit of a connection and of an answer.
    CompletableFuture<WebSocket> open(URI uri, WebSocket.Listener listener, String protocol, String... protocols) {
        var builder = http.newWebSocketBuilder().connectTimeout(CONNECT).subprotocols(protocol, protocols);
        headers(builder::header);
        return builder.buildAsync(uri, listener);
    }

    /// What a failure without an answer, or an answer that the caller does not expect, is to the gateway.
    GatewayException refused(String doing, Answer answer) {
        String said = hidden(line(answer.message(), LONGEST_MESSAGE));
        return switch (answer.status()) {
            case 401 -> new ProviderError("%s: Daytona does not accept the key in DAYTONA_API_KEY".formatted(doing));
            case 403 ->
                new ProviderError(
                        "%s: the key in DAYTONA_API_KEY may not do this at Daytona: %s".formatted(doing, said));
            case 429 -> new BackendUnavailable("%s: Daytona was asked too often, and still says so".formatted(doing));
            case 502, 503, 504 ->
                new BackendUnavailable("%s: Daytona answered %d: %s".formatted(doing, answer.status(), said));
            default -> new ProviderError("%s: Daytona answered %d: %s".formatted(doing, answer.status(), said));
        };
    }

    BackendUnavailable unreachable(String doing, IOException cause) {
        return new BackendUnavailable(
                "%s: Daytona at %s gave no answer: %s".formatted(doing, base, reason(cause)), cause);
    }

    /// One line of what somebody else wrote, for a message.
    static String line(String text, int longest) {
        String line = text.strip().replaceAll("[\\p{Cntrl}\\s]+", " ");
        return line.length() > longest ? line.substring(0, longest) + "…" : line;
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    private Answer send(HttpRequest.Builder request, Duration limit, Progress progress)
            throws IOException, InterruptedException {
        var built = request.build();
        var waited = Duration.ZERO;
        for (int waits = 0; ; waits++) {
            var answer = once(built, limit);
            if (answer.status() != 429) return answer;
            var pause = Throttling.after(answer.headers(), waits);
            waited = waited.plus(pause);
            if (waited.compareTo(Throttling.PATIENCE) > 0) return answer;
            progress.report("Daytona was asked too often; waiting %d s".formatted(pause.toSeconds()));
            scheduler.pause(pause);
        }
    }

    /// The time counts for the whole answer, not only for its head.
    private Answer once(HttpRequest request, Duration limit) throws IOException, InterruptedException {
        var late = new AtomicBoolean();
        var answering = http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LARGEST_ANSWER));
        var deadline = scheduler.after(limit, () -> {
            late.set(true);
            answering.cancel(true);
        });
        try {
            HttpResponse<byte[]> answer = answering.get();
            return new Answer(answer.statusCode(), answer.headers(), answer.body());
        } catch (ExecutionException e) {
            if (late.get()) throw late(limit, e);
            var cause = e.getCause() == null ? e : e.getCause();
            throw cause instanceof IOException io ? io : new IOException(reason(cause), cause);
        } catch (java.util.concurrent.CancellationException e) {
            throw late.get() ? late(limit, e) : new IOException("the client was closed", e);
        } catch (InterruptedException e) {
            answering.cancel(true);
            throw e;
        } finally {
            deadline.cancel();
        }
    }

    private static IOException late(Duration limit, Exception cause) {
        return new IOException("none within %d s".formatted(limit.toSeconds()), cause);
    }

    private HttpRequest.Builder request(URI uri) {
        var request = HttpRequest.newBuilder(uri).header("Accept", "application/json");
        headers(request::header);
        return request;
    }

    private void headers(java.util.function.BiConsumer<String, String> add) {
        var secret = key.orElseThrow(
                () -> new MissingCredential("Daytona sandboxes need a key: set DAYTONA_API_KEY for the gateway"));
        add.accept("Authorization", "Bearer " + secret.reveal());
        add.accept("X-Daytona-Source", "hermit");
        add.accept("X-Daytona-SDK-Version", SDK_VERSION);
        add.accept("User-Agent", "hermit");
    }

    /// Should the provider ever repeat the key.
    private String hidden(String text) {
        return key.map(secret -> text.replace(secret.reveal(), "(hidden)")).orElse(text);
    }

    private static String reason(Throwable failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : line(failure.getMessage(), 200);
    }
}
