package hermit.backend.tenki;

import hermit.exec.Progress;
import hermit.tenki.wire.ExtendSessionRequest;
import hermit.tenki.wire.GetSessionRequest;
import hermit.tenki.wire.ListWorkspaceSandboxesRequest;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.WhoAmIRequest;
import hermit.tenki.wire.WhoAmIWorkspace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Looking at sessions, and putting off their end.
final class Sessions {
    /// How long a session may live from when it was last in use. It is paused when it is idle, long before; this bounds
    /// what it costs when the gateway is not there to do so.
    static final Duration LIFE = Duration.ofHours(1);

    /// A session in use is not extended for less than this.
    private static final Duration WORTH_A_CALL = Duration.ofMinutes(5);

    private static final int PAGE = 100;
    private static final int MOST_PAGES = 100;
    private static final int MOST_WORKSPACES = 20;

    private final ControlPlane control;
    private final InstantSource clock;

    Sessions(ControlPlane control, InstantSource clock) {
        this.control = control;
        this.clock = clock;
    }

    /// Empty if there is none, or if it has ended.
    Optional<SandboxSession> find(String id) throws CallFailed, InterruptedException {
        try {
            var session = control.again(
                            SandboxServiceGrpc.getGetSessionMethod(),
                            GetSessionRequest.newBuilder().setSessionId(id).build())
                    .getSession();
            return Optional.of(session).filter(each -> !SessionStates.isOver(each.getState()));
        } catch (CallFailed e) {
            if (e.isNoSession()) return Optional.empty();
            throw e;
        }
    }

    /// Of all workspaces that the key reaches: which one a session is in is its row's choice.
    List<SandboxSession> list(String tag) throws CallFailed, InterruptedException {
        var workspaces = workspaces();
        if (workspaces.size() <= 1) return list(Optional.empty(), tag);
        var all = new ArrayList<SandboxSession>();
        for (String workspace : workspaces) all.addAll(list(Optional.of(workspace), tag));
        return all;
    }

    private List<String> workspaces() throws CallFailed, InterruptedException {
        return whoAmI().stream()
                .map(WhoAmIWorkspace::getWorkspaceId)
                .limit(MOST_WORKSPACES)
                .toList();
    }

    List<WhoAmIWorkspace> whoAmI() throws CallFailed, InterruptedException {
        return control.again(SandboxServiceGrpc.getWhoAmIMethod(), WhoAmIRequest.getDefaultInstance())
                .getWorkspacesList();
    }

    List<SandboxSession> list(Optional<String> workspace, String tag) throws CallFailed, InterruptedException {
        var all = new ArrayList<SandboxSession>();
        String token = "";
        for (int i = 0; i < MOST_PAGES; i++) {
            var request = ListWorkspaceSandboxesRequest.newBuilder()
                    .setPageSize(PAGE)
                    .setPageToken(token)
                    .addTags(tag);
            workspace.ifPresent(request::setWorkspaceId);
            var page = control.again(SandboxServiceGrpc.getListWorkspaceSandboxesMethod(), request.build());
            all.addAll(page.getSessionsList());
            String next = page.getNextPageToken().strip();
            // A list that leads to itself has no end.
            if (next.isEmpty() || next.equals(token)) break;
            token = next;
        }
        return all;
    }

    /// Sees to it that the session may live for [#LIFE] from now. Never for longer, however often it is called.
    void prolong(String id) throws CallFailed, InterruptedException {
        var session = find(id);
        var end = session.filter(SessionStates::runs).flatMap(SessionStates::timeoutAt);
        if (end.isEmpty()) return;
        var missing = LIFE.minus(Duration.between(clock.instant(), end.get()));
        if (missing.compareTo(WORTH_A_CALL) < 0) return;
        control.once(
                SandboxServiceGrpc.getExtendSessionMethod(),
                ExtendSessionRequest.newBuilder()
                        .setSessionId(id)
                        .setAdditionalDuration(SessionStates.duration(missing))
                        .build(),
                Duration.ofSeconds(30),
                Progress.NONE);
    }
}
