package hermit.backend.tenki;

import hermit.backend.cloud.Marks;
import hermit.backend.keeper.Scheduler;
import hermit.exec.MachineSpec;
import hermit.exec.Progress;
import hermit.exec.TenkiConfig;
import hermit.problem.GatewayException;
import hermit.problem.GatewayException.BackendUnavailable;
import hermit.problem.GatewayException.ProviderError;
import hermit.tenki.wire.CreateSessionRequest;
import hermit.tenki.wire.SandboxServiceGrpc;
import hermit.tenki.wire.SandboxSession;
import hermit.tenki.wire.TerminateSessionRequest;
import hermit.tenki.wire.WaitSessionResponse;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes one session and waits until it runs. It costs money from its first moment: one that does not come to run, or
/// that nobody waits for any more, is terminated.
final class Creating {
    /// On every session, so that a list shows ours alone.
    static final String TAG = "hermit";

    /// How often a session is looked for whose create was not answered: the list may be behind.
    private static final int SEARCHES = 4;

    private static final java.time.Duration BETWEEN_SEARCHES = java.time.Duration.ofSeconds(1);
    private static final int LONGEST_NAME = 64;
    private static final Logger log = LoggerFactory.getLogger(Creating.class);

    private final ControlPlane control;
    private final Sessions sessions;
    private final TenkiSettings settings;
    private final Scheduler scheduler;

    Creating(ControlPlane control, Sessions sessions, TenkiSettings settings, Scheduler scheduler) {
        this.control = control;
        this.sessions = sessions;
        this.settings = settings;
        this.scheduler = scheduler;
    }

    SandboxSession create(MachineSpec spec, Marks marks, Progress progress) throws InterruptedException {
        var config = (TenkiConfig) spec.config();
        var id = ask(spec, config, marks, progress);
        try {
            return await(id, progress);
        } catch (CallFailed e) {
            terminate(id);
            throw e.toGateway("wait for sandbox " + id);
        } catch (GatewayException e) {
            terminate(id);
            throw e;
        } catch (InterruptedException e) {
            control.tell(SandboxServiceGrpc.getTerminateSessionMethod(), termination(id));
            throw e;
        }
    }

    /// What led to this is what is told; if this fails too, the machine is found by its marks at the next ensure.
    private void terminate(String id) throws InterruptedException {
        try {
            control.again(SandboxServiceGrpc.getTerminateSessionMethod(), termination(id));
        } catch (CallFailed | GatewayException e) {
            log.warn("sandbox {}, which did not come to run, was not terminated: {}", id, e.getMessage());
        }
    }

    private static TerminateSessionRequest termination(String id) {
        return TerminateSessionRequest.newBuilder().setSessionId(id).build();
    }

    /// The id of what was made.
    private String ask(MachineSpec spec, TenkiConfig config, Marks marks, Progress progress)
            throws InterruptedException {
        try {
            var answer = control.once(
                    SandboxServiceGrpc.getCreateSessionMethod(),
                    request(spec, config, marks),
                    settings.createWithin(),
                    progress);
            answer.getWarningsList().forEach(each -> progress.report("Tenki: " + CallFailed.plain(each.getMessage())));
            return answer.getSession().getId();
        } catch (CallFailed e) {
            if (!e.isPassing() || e.isTooOften()) throw e.toGateway("create a sandbox");
            log.info("a create was not answered ({}); looking for what it made", e.getMessage());
            return findAgain(marks, config.workspaceId()).orElseThrow(() -> e.toGateway("create a sandbox"));
        }
    }

    private Optional<String> findAgain(Marks marks, Optional<String> workspace) throws InterruptedException {
        for (int i = 0; i < SEARCHES; i++) {
            scheduler.pause(BETWEEN_SEARCHES);
            try {
                for (var each : sessions.list(workspace, tag(marks.sandbox())))
                    if (carries(each.getMetadataMap(), marks) && !SessionStates.isOver(each.getState()))
                        return Optional.of(each.getId());
            } catch (CallFailed e) {
                if (!e.isPassing()) throw e.toGateway("look for a sandbox whose making was not answered");
            }
        }
        return Optional.empty();
    }

    private static boolean carries(Map<String, String> metadata, Marks marks) {
        return metadata.entrySet().containsAll(marks.toMap().entrySet());
    }

    static CreateSessionRequest request(MachineSpec spec, TenkiConfig config, Marks marks) {
        var request = CreateSessionRequest.newBuilder()
                .setOwnerId("self")
                .setOwnerType("SERVICE")
                // Both can never be changed; nothing of ours listens, and whoever exposes a port wants it to be
                // reached.
                .setAllowInbound(true)
                .setAllowOutbound(true)
                .setMaxDuration(SessionStates.duration(Sessions.LIFE))
                .putAllMetadata(marks.toMap())
                .putAllEnv(config.env())
                .setName(name(spec))
                .addTags(TAG)
                .addTags(tag(marks.sandbox()));
        config.snapshotId().ifPresent(request::setSnapshotId);
        config.image().ifPresent(request::setRegistryRef);
        config.workspaceId().ifPresent(request::setWorkspaceId);
        config.cpuCores().ifPresent(request::setCpuCores);
        config.memoryMb().ifPresent(request::setMemoryMb);
        return request.build();
    }

    /// A tag has 32 characters at most.
    static String tag(UUID sandbox) {
        return sandbox.toString().replace("-", "");
    }

    private static String name(MachineSpec spec) {
        String name = "hermit-%s-%s".formatted(spec.agentId(), spec.alias());
        return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) : name;
    }

    private SandboxSession await(String id, Progress progress) throws CallFailed, InterruptedException {
        var waiting = new Waiting(control, scheduler, id, settings.startWithin());
        var seen = follow(id, waiting, progress);
        if (seen.isPresent()) return seen.get();
        // The stream broke, is not offered, or ended before its time.
        while (!waiting.isOver()) {
            var session = waiting.poll(true);
            if (session.isEmpty()) continue;
            if (SessionStates.runs(session.get())) return session.get();
            refuseOver(session.get());
            progress.report("the sandbox is " + SessionStates.word(session.get()));
        }
        throw new BackendUnavailable("sandbox %s did not run within %d s"
                .formatted(id, settings.startWithin().toSeconds()));
    }

    private Optional<SandboxSession> follow(String id, Waiting waiting, Progress progress)
            throws CallFailed, InterruptedException {
        var last = new Last();
        try {
            control.follow(id, waiting.left(), answer -> last.heard(answer, progress));
        } catch (CallFailed e) {
            boolean elsewhere = e.isPassing() || e.isUnimplemented() || e.isTooOften() || e.isNoSession();
            if (!elsewhere) throw e;
            log.debug("waiting for sandbox {} goes on without a stream: {}", id, e.getMessage());
        }
        if (last.session.isEmpty()) return Optional.empty();
        refuseOver(last.session.get());
        return last.session.filter(SessionStates::runs);
    }

    private static final class Last {
        private Optional<SandboxSession> session = Optional.empty();

        /// Whether it is enough.
        boolean heard(WaitSessionResponse answer, Progress progress) {
            session = Optional.of(answer.getSession());
            progress.report("the sandbox is " + SessionStates.word(answer.getSession()));
            return SessionStates.runs(answer.getSession())
                    || SessionStates.isOver(answer.getSession().getState());
        }
    }

    private static void refuseOver(SandboxSession session) throws GatewayException {
        if (SessionStates.isOver(session.getState()))
            throw new ProviderError(
                    "sandbox %s ended before it ran: %s".formatted(session.getId(), SessionStates.reason(session)));
    }
}
