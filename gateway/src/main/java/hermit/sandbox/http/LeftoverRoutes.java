package hermit.sandbox.http;

import hermit.exec.Uuids;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.problem.GatewayException.NotFound;
import hermit.sandbox.Leftover;
import hermit.sandbox.Leftovers;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Machines without a live row.
public final class LeftoverRoutes implements Routes {
    private final Leftovers leftovers;

    public LeftoverRoutes(Leftovers leftovers) {
        this.leftovers = leftovers;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/api/sandboxes/leftovers", this::list),
                Route.post("/api/sandboxes/{uuid}/reclaim", this::reclaim).withoutBody());
    }

    private Reply list(Request request) throws InterruptedException {
        var listing = leftovers.list();
        return Reply.ok(new hermit.api.Leftovers(
                listing.items().stream().map(LeftoverRoutes::json).toList(),
                Optional.empty(),
                listing.unreachable().entrySet().stream()
                        .map(each -> new hermit.api.Leftovers.Unreachable(
                                each.getKey().toString(), each.getValue()))
                        .toList()));
    }

    private Reply reclaim(Request request) throws InterruptedException {
        UUID sandbox = Uuids.parse(request.path("uuid"))
                .orElseThrow(() -> new NotFound("'%s' is no sandbox's id".formatted(request.path("uuid"))));
        return Reply.ok(new hermit.api.Leftovers(
                leftovers.reclaim(sandbox).stream().map(LeftoverRoutes::json).toList(), Optional.empty(), List.of()));
    }

    private static hermit.api.Leftover json(Leftover leftover) {
        return new hermit.api.Leftover(
                leftover.sandbox(),
                leftover.row().map(row -> row.agentId().value()),
                leftover.row().map(row -> row.alias().value()),
                leftover.type().toString(),
                leftover.externalId(),
                leftover.state().map(Object::toString),
                leftover.detail(),
                leftover.createdAt(),
                leftover.deletedAt());
    }
}
