package hermit.fake.tenki;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import hermit.tenki.wire.CreateSessionCredentialRequest;
import hermit.tenki.wire.CreateSessionCredentialResponse;
import hermit.tenki.wire.CreateSessionRequest;
import hermit.tenki.wire.CreateSessionResponse;
import hermit.tenki.wire.DataPlaneRouteStatus;
import hermit.tenki.wire.ExtendSessionRequest;
import hermit.tenki.wire.ExtendSessionResponse;
import hermit.tenki.wire.GetSessionRequest;
import hermit.tenki.wire.GetSessionResponse;
import hermit.tenki.wire.GetWorkspaceSandboxUsageResponse;
import hermit.tenki.wire.ListWorkspaceSandboxesRequest;
import hermit.tenki.wire.ListWorkspaceSandboxesResponse;
import hermit.tenki.wire.PauseSessionRequest;
import hermit.tenki.wire.PauseSessionResponse;
import hermit.tenki.wire.ResumeSessionRequest;
import hermit.tenki.wire.ResumeSessionResponse;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.SandboxUsageUnit;
import hermit.tenki.wire.SandboxWarning;
import hermit.tenki.wire.SessionCredential;
import hermit.tenki.wire.SessionState;
import hermit.tenki.wire.TerminateSessionRequest;
import hermit.tenki.wire.TerminateSessionResponse;
import hermit.tenki.wire.UpdateSessionRequest;
import hermit.tenki.wire.UpdateSessionResponse;
import hermit.tenki.wire.WaitSessionRequest;
import hermit.tenki.wire.WaitSessionResponse;
import hermit.tenki.wire.WhoAmIResponse;
import hermit.tenki.wire.WhoAmIWorkspace;
import hermit.tenki.wire.WorkspaceSandboxUsageLimit;
import io.grpc.Status;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/// The calls about sessions. `special` is the name of a fault that only the method itself can play, or empty.
final class ControlPlane {
    private static final String WORKSPACE = "0190a000-0000-7000-8000-0000000000aa";
    private static final Pattern TAG = Pattern.compile("[a-z0-9][a-z0-9_:.-]{0,31}");
    private static final int MOST_TAGS = 20;
    private static final java.time.Duration WAITED_FOR_AT_ONCE = java.time.Duration.ofHours(1);
    private static final int LARGEST_PAGE = 100;

    private final TenkiFakeSettings settings;
    private final Machines machines;
    private final String dataPlane;

    ControlPlane(TenkiFakeSettings settings, Machines machines, String dataPlane) {
        this.settings = settings;
        this.machines = machines;
        this.dataPlane = dataPlane;
    }

    /// Answers one call, up to but not including its end.
    void answer(String method, String special, byte[] message, GrpcCall call)
            throws Refused, ClientGone, InterruptedException, InvalidProtocolBufferException {
        if (method.equals("WaitSession")) {
            await(WaitSessionRequest.parseFrom(message), special, call);
            return;
        }
        Message answer = switch (method) {
            case "WhoAmI" -> whoAmI();
            case "CreateSession" -> create(CreateSessionRequest.parseFrom(message));
            case "CreateSessionCredential" -> credential(CreateSessionCredentialRequest.parseFrom(message), special);
            case "GetSession" -> get(GetSessionRequest.parseFrom(message), special);
            case "ListWorkspaceSandboxes" -> list(ListWorkspaceSandboxesRequest.parseFrom(message));
            case "UpdateSession" -> update(UpdateSessionRequest.parseFrom(message));
            case "PauseSession" -> pause(PauseSessionRequest.parseFrom(message));
            case "ResumeSession" -> resume(ResumeSessionRequest.parseFrom(message));
            case "TerminateSession" -> terminate(TerminateSessionRequest.parseFrom(message));
            case "ExtendSession" -> extend(ExtendSessionRequest.parseFrom(message));
            case "GetWorkspaceSandboxUsage" -> usage();
            default -> throw new Refused(Status.Code.UNIMPLEMENTED, "unknown method " + method);
        };
        call.send(answer.toByteArray());
    }

    private static Message whoAmI() {
        return WhoAmIResponse.newBuilder()
                .setOwnerType("WORKSPACE")
                .setOwnerId(WORKSPACE)
                .addWorkspaces(
                        WhoAmIWorkspace.newBuilder().setWorkspaceId(WORKSPACE).setName("main"))
                .build();
    }

    private Message create(CreateSessionRequest request) throws Refused {
        check(!request.getOwnerId().isEmpty(), "owner_id: value length must be at least 1 characters");
        check(
                List.of("SERVICE", "USER").contains(request.getOwnerType()),
                "owner_type: value must be in list [SERVICE, USER]");
        if (request.hasCpuCores())
            check(request.getCpuCores() >= 1 && request.getCpuCores() <= 16, "cpu_cores: value must be in 1..16");
        if (request.hasMemoryMb())
            check(
                    request.getMemoryMb() >= 128 && request.getMemoryMb() <= 65_536 && request.getMemoryMb() % 2 == 0,
                    "memory_mb: value must be even and in 128..65536");
        checkTags(request.getTagsList());
        var now = Instant.now();
        var life =
                request.hasMaxDuration() && !request.getSticky() ? duration(request.getMaxDuration()) : settings.life();
        var shown = SandboxSession.newBuilder()
                .setOwnerType("WORKSPACE")
                .setOwnerId(WORKSPACE)
                .setWorkspaceId(WORKSPACE)
                .setName(request.getName())
                .setCreatedAt(FakeSession.at(now))
                .setTimeoutAt(FakeSession.at(now.plus(life)))
                .setInboundEnabled(!request.hasAllowInbound() || request.getAllowInbound())
                .setOutboundEnabled(!request.hasAllowOutbound() || request.getAllowOutbound())
                .setCpuCores(request.hasCpuCores() ? request.getCpuCores() : 2)
                .setMemoryMb(request.hasMemoryMb() ? request.getMemoryMb() : 4096)
                .setDiskSizeGb(request.hasDiskSizeGb() ? request.getDiskSizeGb() : 5)
                .putAllMetadata(request.getMetadataMap())
                .addAllTags(request.getTagsList())
                .setSticky(request.getSticky());
        if (request.hasSnapshotId()) shown.setSourceSnapshotId(request.getSnapshotId());
        if (request.hasRegistryRef()) shown.setSourceRegistryRef(request.getRegistryRef());
        var session = machines.create(shown, request.getEnvMap());
        var answer = CreateSessionResponse.newBuilder().setSession(session.shown());
        if (request.getSticky() && request.hasMaxDuration())
            answer.addWarnings(SandboxWarning.newBuilder().setCode(1).setMessage("sticky overrides max_duration"));
        return answer.build();
    }

    private Message credential(CreateSessionCredentialRequest request, String special) throws Refused {
        var session = machines.get(request.getSessionId());
        if (FakeSession.isOver(session.state()))
            throw new Refused(Status.Code.FAILED_PRECONDITION, "session is terminated");
        if (session.state() != SessionState.SESSION_STATE_RUNNING)
            throw new Refused(
                    Status.Code.FAILED_PRECONDITION,
                    "session is not running (state=%s)".formatted(Machines.word(session.state())));
        var status = switch (special) {
            case "not_ready" -> DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_NOT_READY;
            case "failed" -> DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_FAILED;
            case "unprobed" -> DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_UNSPECIFIED;
            default -> DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_VERIFIED;
        };
        return CreateSessionCredentialResponse.newBuilder()
                .setCredential(credential(session))
                .setDataPlaneEndpoint(dataPlane)
                .setRouteStatus(status)
                .build();
    }

    private SessionCredential credential(FakeSession session) {
        var until = Instant.now().plus(settings.credentialLife());
        return SessionCredential.newBuilder()
                .setCredential(session.newCredential(until))
                .setExpiresAt(FakeSession.at(until))
                .build();
    }

    private Message get(GetSessionRequest request, String special) throws Refused {
        var shown = machines.get(request.getSessionId()).shown().toBuilder();
        switch (special) {
            case "unknown_state" -> shown.setStateValue(77);
            // A read replica that is behind.
            case "stale_paused" -> shown.setState(SessionState.SESSION_STATE_PAUSED);
            default -> {}
        }
        return GetSessionResponse.newBuilder().setSession(shown).build();
    }

    private void await(WaitSessionRequest request, String special, GrpcCall call)
            throws Refused, ClientGone, InterruptedException {
        var session = machines.get(request.getSessionId());
        while (true) {
            var shown = session.shown();
            var answer = WaitSessionResponse.newBuilder().setSession(shown);
            boolean running = shown.getState() == SessionState.SESSION_STATE_RUNNING;
            if (running)
                answer.setDataPlaneEndpoint(dataPlane)
                        .setCredential(credential(session))
                        .setRouteStatus(DataPlaneRouteStatus.DATA_PLANE_ROUTE_STATUS_VERIFIED);
            call.send(answer.build().toByteArray());
            // Ends normally, though it does not run yet.
            if (special.equals("ends_early")) return;
            if (running || FakeSession.isOver(shown.getState())) return;
            session.awaitChange(shown.getState(), WAITED_FOR_AT_ONCE);
        }
    }

    private Message list(ListWorkspaceSandboxesRequest request) throws Refused {
        check(request.getPageSize() >= 0 && request.getPageSize() <= LARGEST_PAGE, "page_size: value must be 0..100");
        var tags = new HashSet<>(request.getTagsList());
        var found = machines.all().stream()
                .map(FakeSession::shown)
                .filter(each -> request.getIncludeTerminated() || !FakeSession.isOver(each.getState()))
                .filter(each -> new HashSet<>(each.getTagsList()).containsAll(tags))
                .filter(each -> !request.hasSticky() || each.getSticky() == request.getSticky())
                .sorted(Comparator.comparing(SandboxSession::getId))
                .filter(each -> each.getId().compareTo(request.getPageToken()) > 0)
                .toList();
        int size = request.getPageSize() == 0 ? LARGEST_PAGE : request.getPageSize();
        var answer = ListWorkspaceSandboxesResponse.newBuilder()
                .addAllSessions(found.subList(0, Math.min(size, found.size())));
        if (found.size() > size) answer.setNextPageToken(found.get(size - 1).getId());
        return answer.build();
    }

    private Message update(UpdateSessionRequest request) throws Refused {
        checkTags(request.getTagsList());
        var session = machines.get(request.getSessionId());
        session.change(shown -> {
            if (request.hasName()) shown.setName(request.getName());
            if (request.getClearTags() || request.getTagsCount() > 0)
                shown.clearTags().addAllTags(request.getTagsList());
            if (!request.hasSticky()) return;
            shown.setSticky(request.getSticky());
            if (!request.getSticky() && request.hasMaxDuration())
                shown.setTimeoutAt(FakeSession.at(Instant.now().plus(duration(request.getMaxDuration()))));
        });
        return UpdateSessionResponse.newBuilder().setSession(session.shown()).build();
    }

    private Message pause(PauseSessionRequest request) throws Refused, InterruptedException {
        var session = machines.get(request.getSessionId());
        machines.pause(session);
        return PauseSessionResponse.newBuilder().setSession(session.shown()).build();
    }

    private Message resume(ResumeSessionRequest request) throws Refused {
        var session = machines.get(request.getSessionId());
        machines.resume(session);
        var shown = session.shown().toBuilder().setState(SessionState.SESSION_STATE_RESUMING);
        return ResumeSessionResponse.newBuilder().setSession(shown).build();
    }

    private Message terminate(TerminateSessionRequest request) throws Refused, InterruptedException {
        var session = machines.get(request.getSessionId());
        if (FakeSession.isOver(session.state()))
            throw new Refused(Status.Code.FAILED_PRECONDITION, "session is terminated");
        machines.terminate(session, "user_terminated");
        return TerminateSessionResponse.newBuilder().setSession(session.shown()).build();
    }

    private Message extend(ExtendSessionRequest request) throws Refused {
        check(request.hasAdditionalDuration(), "additional_duration: value is required");
        var session = machines.get(request.getSessionId());
        if (FakeSession.isOver(session.state()))
            throw new Refused(Status.Code.FAILED_PRECONDITION, "session is terminated");
        session.change(shown -> shown.setTimeoutAt(FakeSession.at(
                FakeSession.instant(shown.getTimeoutAt()).plus(duration(request.getAdditionalDuration())))));
        return ExtendSessionResponse.newBuilder().setSession(session.shown()).build();
    }

    private Message usage() {
        long active = machines.all().stream()
                .filter(each -> each.state() == SessionState.SESSION_STATE_RUNNING)
                .count();
        return GetWorkspaceSandboxUsageResponse.newBuilder()
                .addLimits(WorkspaceSandboxUsageLimit.newBuilder()
                        .setKey("active_sessions")
                        .setLabel("Active sessions")
                        .setUnit(SandboxUsageUnit.SANDBOX_USAGE_UNIT_COUNT)
                        .setCurrent(active)
                        .setMax(10))
                .build();
    }

    private static void checkTags(List<String> tags) throws Refused {
        check(tags.size() <= MOST_TAGS, "tags: value must contain no more than 20 items");
        for (String tag : tags) check(TAG.matcher(tag).matches(), "tags: value does not match the pattern");
    }

    private static void check(boolean fits, String complaint) throws Refused {
        if (!fits) throw new Refused(Status.Code.INVALID_ARGUMENT, "validation error: " + complaint);
    }

    private static java.time.Duration duration(Duration duration) {
        return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }
}
