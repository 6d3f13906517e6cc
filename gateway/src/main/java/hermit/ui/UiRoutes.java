package hermit.ui;

import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.problem.GatewayException.NotFound;
import hermit.problem.GatewayException.Refused;
import hermit.problem.ProblemCode;
import hermit.ui.UiFiles.Form;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/// The page, at each address that it knows how to show, and its assets. They say nothing of anybody and are for
/// everybody; who may see what, the API decides.
public final class UiRoutes implements Routes {
    /// Where the page is found: what a browser may be sent to, or reload. The same list as in the UI's own router.
    static final List<String> PAGES = List.of(
            "/",
            "/agents",
            "/agents/{id}",
            "/agents/{id}/{tab}",
            "/agents/{id}/sandboxes/{alias}",
            "/agents/{id}/sandboxes/{alias}/{tab}",
            "/agents/{id}/sandboxes/{alias}/terminals/{tid}",
            "/agents/{id}/sessions/{sid}",
            "/sandboxes",
            "/approvals",
            "/approvals/rules",
            "/people",
            "/tokens",
            "/skills",
            "/audit",
            "/system");

    /// What lists are narrowed to. Read by the page alone, so that a narrowed list can be linked to.
    private static final String[] FILTERS = {
        "q", "agent", "type", "status", "state", "user", "action", "since", "until", "folder"
    };

    private static final String ASSETS = "/assets/{file}";
    /// Where the build has left room for the nonce.
    private static final String PLACE = "HERMIT_NONCE";

    private static final int NONCE_BYTES = 18;

    private final UiFiles files;
    private final RandomGenerator random;

    /// `random` must not be guessable.
    public UiRoutes(UiFiles files, RandomGenerator random) {
        this.files = files;
        this.random = random;
    }

    @Override
    public List<Route> routes() {
        return Stream.concat(
                        PAGES.stream().map(path -> Route.get(path, this::page).withQuery(FILTERS)),
                        Stream.of(Route.get(ASSETS, this::asset)))
                .toList();
    }

    /// Made anew for each answer, and so never kept: components and the terminal write style sheets while they run, and
    /// the nonce tells theirs from injected ones. Scripts come from assets only.
    private Reply page(Request request) {
        String html = files.page()
                .orElseThrow(() -> new Refused(
                        ProblemCode.NOT_AVAILABLE, "This gateway was built without its web UI (-Dui.skip)"));
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        String nonce = Base64.getEncoder().encodeToString(bytes);
        return new Reply.Bytes(
                "text/html; charset=utf-8",
                Map.of(
                        "Content-Security-Policy",
                        policy(nonce),
                        "Cross-Origin-Opener-Policy",
                        "same-origin",
                        "Permissions-Policy",
                        "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
                ByteBuffer.wrap(html.replace(PLACE, nonce).getBytes(StandardCharsets.UTF_8)));
    }

    private static String policy(String nonce) {
        return String.join(
                "; ",
                "default-src 'none'",
                "script-src 'self'",
                "style-src 'self' 'nonce-" + nonce + "'",
                "img-src 'self'",
                "connect-src 'self'",
                "base-uri 'none'",
                "form-action 'none'",
                "frame-ancestors 'none'");
    }

    private Reply asset(Request request) {
        String name = request.path("file");
        Form form = Codings.best(request.header("Accept-Encoding").orElse(""));
        byte[] bytes = files.asset(name, form).orElseThrow(() -> new NotFound("There is no such file"));
        var headers = new LinkedHashMap<String, String>();
        headers.put("Cache-Control", "public, max-age=31536000, immutable");
        headers.put("Vary", "Accept-Encoding");
        if (form != Form.PLAIN) headers.put("Content-Encoding", form.coding);
        return new Reply.Bytes(mediaType(name), headers, ByteBuffer.wrap(bytes));
    }

    private static String mediaType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "js" -> "text/javascript; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> throw new IllegalStateException("the build has made a file of an unknown type: " + name);
        };
    }
}
