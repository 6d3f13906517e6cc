package hermit.sandbox.http;

import hermit.agent.AgentId;
import hermit.api.SandboxAction;
import hermit.exec.BackendType;
import hermit.http.Pages;
import hermit.http.Query;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.Fields;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.Alias;
import hermit.sandbox.Presets;
import hermit.sandbox.SandboxFilter;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxView;
import hermit.sandbox.Sandboxes;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The sandboxes of one agent and of all.
public final class SandboxRoutes implements Routes {
    private static final String AGENT = "/api/agents/{id}/sandboxes";
    private static final String ONE = AGENT + "/{alias}";
    private static final Set<String> STATUSES = Set.of("pending", "provisioned", "deleted");

    private final Sandboxes sandboxes;
    private final Presets presets;

    public SandboxRoutes(Sandboxes sandboxes, Presets presets) {
        this.sandboxes = sandboxes;
        this.presets = presets;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/api/sandboxes", this::listAll).withQuery("limit", "cursor", "type", "status", "agent"),
                Route.get(AGENT, this::listOfAgent).withQuery("limit", "cursor"),
                Route.post(AGENT, this::add),
                Route.get(ONE, this::get),
                Route.patch(ONE, this::updateConfig),
                Route.delete(ONE, this::delete).withQuery("destroy"),
                Route.post(ONE + "/start", this::start).withoutBody(),
                Route.post(ONE + "/stop", this::stop).withoutBody().withQuery("force"));
    }

    private Reply listAll(Request request) throws InterruptedException {
        Query query = request.query();
        var filter = new SandboxFilter(
                query.word("type", BackendType.class),
                query.text("status").map(SandboxRoutes::status),
                query.text("agent").map(SandboxRoutes::agent));
        return Pages.reply(sandboxes.list(filter, page(query)), SandboxJson::of);
    }

    private Reply listOfAgent(Request request) throws InterruptedException {
        PageRequest page = page(request.query());
        List<SandboxView> rows = sandboxes.ofAgent(id(request));
        List<SandboxView> rest = rows.stream()
                .sorted(Comparator.comparing(SandboxRoutes::key))
                .filter(row -> page.after().isEmpty()
                        || key(row).compareTo(page.after().get()) > 0)
                .limit(page.limit() + 1L)
                .toList();
        return Pages.reply(Page.of(rest, page.limit(), SandboxRoutes::key), SandboxJson::of);
    }

    private Reply add(Request request) {
        AgentId agent = id(request);
        var wanted = NewSandbox.read(request.fields(), presets);
        SandboxView view = sandboxes.add(agent, wanted.alias(), wanted.config());
        return Reply.created("/api/agents/%s/sandboxes/%s".formatted(agent, wanted.alias()), SandboxJson.of(view));
    }

    private Reply get(Request request) throws InterruptedException {
        return Reply.ok(SandboxJson.of(sandboxes.view(id(request), alias(request))));
    }

    private Reply updateConfig(Request request) throws InterruptedException {
        Fields fields = request.fields();
        Map<String, Object> config = fields.required("config", fields.object("config"), Map.of());
        fields.finish();
        return Reply.ok(SandboxJson.of(sandboxes.updateConfig(id(request), alias(request), config)));
    }

    private Reply delete(Request request) throws InterruptedException {
        if (request.query().flag("destroy")) sandboxes.destroy(id(request), alias(request));
        else sandboxes.delete(id(request), alias(request));
        return Reply.noContent();
    }

    private Reply start(Request request) throws InterruptedException {
        var started = sandboxes.start(id(request), alias(request));
        return Reply.ok(new SandboxAction(SandboxJson.of(started.view()), started.notes()));
    }

    private Reply stop(Request request) throws InterruptedException {
        boolean force = request.query().flag("force");
        SandboxView view = sandboxes.stop(id(request), alias(request), force);
        return Reply.ok(new SandboxAction(SandboxJson.of(view), List.of()));
    }

    private static PageRequest page(Query query) {
        return query.page(key -> SandboxId.parse(key).isPresent());
    }

    private static String key(SandboxView view) {
        return view.sandbox().id().toString();
    }

    private static String status(String text) {
        if (STATUSES.contains(text)) return text;
        throw new Invalid("status", "is not one of pending, provisioned, deleted");
    }

    private static AgentId agent(String text) {
        return Optional.of(text)
                .filter(key -> AgentId.PATTERN.matcher(key).matches())
                .map(AgentId::new)
                .orElseThrow(() -> new Invalid("agent", "is no agent's id: " + AgentId.SHAPE));
    }

    private static AgentId id(Request request) {
        return AgentId.inPath(request.path("id"));
    }

    private static Alias alias(Request request) {
        return Alias.inPath(request.path("alias"));
    }
}
