package hermit.access.http;

import hermit.http.Pages;
import hermit.http.Reply;
import hermit.http.Request;
import hermit.http.Route;
import hermit.http.Routes;
import hermit.identity.UserId;
import hermit.identity.Users;
import hermit.identity.http.UserJson;
import java.util.List;

/// People, for the admin.
public final class UserRoutes implements Routes {
    private static final String ALL = "/api/users";
    private static final String ONE = ALL + "/{user_id}";
    private static final String IDENTITIES = ONE + "/identities";

    private final Users users;

    public UserRoutes(Users users) {
        this.users = users;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get(ALL, this::list).withQuery("limit", "cursor"),
                Route.post(ALL, this::create),
                Route.get(ONE, this::get),
                Route.delete(ONE, this::delete),
                Route.post(IDENTITIES, this::addIdentity),
                Route.delete(IDENTITIES, this::removeIdentity).withQuery("channel", "channel_user_id"),
                Route.post(ONE + "/merge", this::merge));
    }

    private Reply list(Request request) {
        var page = request.query().page(key -> UserId.parse(key).isPresent());
        return Pages.reply(users.list(page), UserJson::user);
    }

    private Reply create(Request request) {
        var user = users.create(request.body());
        return Reply.created(ALL + "/" + user.id(), UserJson.user(user));
    }

    private Reply get(Request request) {
        return Reply.ok(UserJson.user(users.get(id(request))));
    }

    private Reply delete(Request request) {
        users.delete(id(request));
        return Reply.noContent();
    }

    private Reply addIdentity(Request request) {
        return Reply.ok(UserJson.user(users.addIdentity(id(request), request.body())));
    }

    private Reply removeIdentity(Request request) {
        return Reply.ok(UserJson.user(users.removeIdentity(
                id(request),
                request.query().required("channel"),
                request.query().required("channel_user_id"))));
    }

    private Reply merge(Request request) {
        return Reply.ok(UserJson.user(users.merge(id(request), request.body())));
    }

    private static UserId id(Request request) {
        return UserId.inPath(request.path("user_id"));
    }
}
