package hermit.backend.daytona;

import com.fasterxml.jackson.databind.ObjectMapper;
import hermit.backend.cloud.Marks;
import hermit.exec.Progress;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The calls of the main API that are about sandboxes, one method each. [IOException]: no answer came.
final class Sandboxes {
    private static final int PAGE = 200;
    /// 20 000 sandboxes. More is a list that does not end.
    private static final int MOST_PAGES = 100;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Api api;

    Sandboxes(Api api) {
        this.api = api;
    }

    /// By id or name, in any state. Empty if there is none.
    Optional<Sandbox> find(String idOrName) throws IOException, InterruptedException {
        String doing = "look at sandbox " + idOrName;
        var answer = api.get(at(idOrName, ""));
        if (answer.status() == 404) return Optional.empty();
        return Optional.of(read(doing, answer));
    }

    /// With its toolbox's address, which some answers leave out.
    Optional<Sandbox> findWithToolbox(String id) throws IOException, InterruptedException {
        var found = find(id);
        if (found.isEmpty() || found.get().toolbox().isPresent() || found.get().state() != SandboxState.STARTED)
            return found;
        var answer = api.get(at(id, "/toolbox-proxy-url"));
        if (!answer.isGood()) throw api.refused("find the way into sandbox " + id, answer);
        return found.map(
                sandbox -> sandbox.withToolbox(answer.json().path("url").asText("")));
    }

    List<Sandbox> list(Map<String, String> labels) throws IOException, InterruptedException {
        String query = "?limit=%d&labels=%s"
                .formatted(PAGE, encode(JSON.valueToTree(labels).toString()));
        List<Sandbox> found = new ArrayList<>();
        String cursor = "";
        for (int i = 0; i < MOST_PAGES; i++) {
            var answer = api.get(api.at("/sandbox" + query + cursor));
            if (!answer.isGood()) throw api.refused("list the sandboxes at Daytona", answer);
            answer.json().path("items").forEach(item -> Sandbox.read(item).ifPresent(found::add));
            String next = answer.json().path("nextCursor").asText("");
            if (next.isEmpty() || next.equals("null")) break;
            cursor = "&cursor=" + encode(next);
        }
        return found;
    }

    /// Whether the key is accepted.
    void check() throws IOException, InterruptedException {
        var answer = api.get(api.at("/sandbox?limit=1"));
        if (!answer.isGood()) throw api.refused("ask Daytona", answer);
    }

    /// The answer as it is: what it means depends on what is there afterwards.
    Answer create(com.fasterxml.jackson.databind.JsonNode body, Progress progress)
            throws IOException, InterruptedException {
        return api.post(api.at("/sandbox"), body, Api.LIMIT, progress);
    }

    Answer start(String id) throws IOException, InterruptedException {
        return api.post(at(id, "/start"));
    }

    Answer recover(String id) throws IOException, InterruptedException {
        return api.post(at(id, "/recover"));
    }

    Answer stop(String id) throws IOException, InterruptedException {
        return api.post(at(id, "/stop?force=false"));
    }

    Answer delete(String id) throws IOException, InterruptedException {
        return api.delete(at(id, ""));
    }

    /// Counts as use: it puts off the provider's own stop.
    Answer touch(String id) throws IOException, InterruptedException {
        return api.post(at(id, "/last-activity"), JSON.createObjectNode(), Api.LIMIT, Progress.NONE);
    }

    Answer stopAfter(String id, int minutes) throws IOException, InterruptedException {
        return api.post(at(id, "/autostop/" + minutes));
    }

    /// A sandbox out of an answer that should show one.
    Sandbox read(String doing, Answer answer) {
        if (!answer.isGood()) throw api.refused(doing, answer);
        return Sandbox.read(answer.json())
                .orElseThrow(() -> new hermit.problem.GatewayException.ProviderError(
                        doing + ": Daytona's answer shows no sandbox"));
    }

    /// Whether it was made for the same row, and as the same one in the row's life.
    static boolean isOf(Sandbox sandbox, Marks marks) {
        return sandbox.labels().entrySet().containsAll(marks.toMap().entrySet());
    }

    private URI at(String id, String rest) {
        return api.at("/sandbox/" + encode(id) + rest);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
