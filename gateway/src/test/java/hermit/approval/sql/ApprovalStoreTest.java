package hermit.approval.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import hermit.Racing;
import hermit.access.SecurityPolicy;
import hermit.agent.Agent;
import hermit.agent.AgentConfig;
import hermit.agent.AgentId;
import hermit.approval.Approval;
import hermit.approval.Approval.Place;
import hermit.approval.Approval.Settlement;
import hermit.approval.Approval.State;
import hermit.approval.ApprovalId;
import hermit.approval.ApprovalRule;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.ExecId;
import hermit.exec.Uuids;
import hermit.paging.PageRequest;
import hermit.sandbox.Alias;
import hermit.sandbox.Sandbox;
import hermit.sandbox.SandboxId;
import hermit.sandbox.SandboxStatus;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Author;
import hermit.session.Redaction;
import hermit.session.Session;
import hermit.session.SessionEvent;
import hermit.session.SessionEvent.Draft;
import hermit.session.SessionId;
import hermit.session.sql.LogRows;
import hermit.session.sql.SqlSessionStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ApprovalStoreTest {
    private static final Instant NOW = Instant.parse("2026-11-01T10:00:00.123456Z");
    private static final UUID GATEWAY = new UUID(1, 1);
    private static final Settlement BY_ADMIN = new Settlement(NOW.plusSeconds(1), "admin", Optional.of("fine"));

    private static final List<Draft> RESULT =
            List.of(new Draft(SessionEvent.Type.TOOL_RESULT, Map.of("state", "done")));

    @TempDir
    Path directory;

    private final Random random = new Random(5);
    private final List<Database> opened = new ArrayList<>();
    private Instant ids = NOW;

    @AfterEach
    void close() {
        opened.forEach(Database::close);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_is_stored_is_read_back_and_changed_step_by_step(TestDatabase kind) {
        var stores = new Stores(kind);
        Approval wanted = stores.approval();
        Approval asked = stores.approvals.add(wanted, Map.of("arguments", Map.of("command", "id")));
        assertThat(asked).usingRecursiveComparison().ignoringFields("revision").isEqualTo(wanted);
        assertThat(stores.approvals.find(asked.id())).contains(asked);
        assertThat(stores.approvals.begin(asked.id())).isEmpty();
        var exec = new ExecId(newId());
        Approval approved = stores.approvals
                .approve(asked.id(), BY_ADMIN, exec, Optional.empty())
                .orElseThrow();
        assertThat(approved.state()).isEqualTo(State.APPROVED);
        assertThat(approved.execId()).contains(exec);
        assertThat(approved.settlement()).contains(BY_ADMIN);
        assertThat(approved.revision()).isGreaterThan(asked.revision());
        assertThat(stores.approvals.ofGateway(GATEWAY, State.APPROVED)).containsExactly(approved);
        assertThat(stores.approvals.ofGateway(new UUID(2, 2), State.APPROVED)).isEmpty();
        assertThat(stores.approvals.begin(asked.id())).contains(Map.of("arguments", Map.of("command", "id")));
        assertThat(stores.approvals.begin(asked.id())).isEmpty();
        Approval done = stores.approvals
                .finish(asked.id(), State.DONE, Optional.empty(), Optional.of(Map.of("exit_code", 0L)), List.of(), NOW)
                .orElseThrow();
        assertThat(done.result()).contains(Map.of("exit_code", 0L));
        assertThat(done.settlement()).contains(BY_ADMIN);
        assertThat(stores.approvals.finish(
                        asked.id(), State.UNKNOWN, Optional.empty(), Optional.empty(), List.of(), NOW))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void of_many_who_decide_and_begin_at_once_one_does(TestDatabase kind) throws Exception {
        var stores = new Stores(kind);
        Approval asked = stores.asked();
        var deciders = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 10; i++) {
            boolean approve = i % 2 == 0;
            var exec = new ExecId(newId());
            deciders.add(() -> (approve
                            ? stores.approvals.approve(asked.id(), BY_ADMIN, exec, Optional.empty())
                            : stores.approvals.deny(asked.id(), BY_ADMIN))
                    .isPresent());
        }
        var decided = Racing.of(deciders);
        assertThat(decided.failures()).isEmpty();
        assertThat(decided.results()).containsOnlyOnce(true);

        Approval other = stores.asked();
        stores.approvals.approve(other.id(), BY_ADMIN, new ExecId(newId()), Optional.empty());
        var beginners = new ArrayList<Callable<Boolean>>();
        for (int i = 0; i < 10; i++)
            beginners.add(() -> stores.approvals.begin(other.id()).isPresent());
        var begun = Racing.of(beginners);
        assertThat(begun.failures()).isEmpty();
        assertThat(begun.results()).containsOnlyOnce(true);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_has_expired_is_neither_approved_nor_begun(TestDatabase kind) {
        var stores = new Stores(kind);
        Approval pending = stores.asked();
        Approval approved = stores.asked();
        stores.approvals.approve(approved.id(), BY_ADMIN, new ExecId(newId()), Optional.empty());
        Instant end = pending.expiresAt();
        assertThat(stores.approvals.settle(end.minusSeconds(1))).isEmpty();
        var late = new Settlement(end, "admin", Optional.empty());
        assertThat(stores.approvals.approve(pending.id(), late, new ExecId(newId()), Optional.empty()))
                .isEmpty();
        var settled = stores.approvals.settle(end);
        assertThat(settled).extracting(Approval::id).containsExactlyInAnyOrder(pending.id(), approved.id());
        assertThat(settled).allSatisfy(each -> {
            assertThat(each.state()).isEqualTo(State.EXPIRED);
            assertThat(each.settlement()).contains(new Settlement(end, Approval.NOBODY, Optional.of("expired")));
        });
        assertThat(stores.approvals.begin(approved.id())).isEmpty();
        assertThat(stores.approvals.settle(end)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_lost_its_session_or_sandbox_is_cancelled_with_the_reason(TestDatabase kind) {
        var stores = new Stores(kind);
        Approval asked = stores.asked();
        stores.sessions.end(asked.sessionId(), new Session.End(NOW, "requested"), Optional.empty());
        assertThat(stores.approvals.approve(asked.id(), BY_ADMIN, new ExecId(newId()), Optional.empty()))
                .isEmpty();
        assertThat(stores.approvals.settle(NOW))
                .singleElement()
                .satisfies(each ->
                        assertThat(each.settlement().orElseThrow().reason()).contains("the session has ended"));
        Approval other = stores.asked();
        stores.sandboxes.delete(other.place().sandbox(), NOW);
        assertThat(stores.approvals.settle(NOW)).singleElement().satisfies(each -> {
            assertThat(each.state()).isEqualTo(State.CANCELLED);
            assertThat(each.settlement().orElseThrow().reason()).contains("the sandbox has been deleted");
        });
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void changes_are_listed_in_order_of_revision_for_the_agents_asked_for(TestDatabase kind) {
        var stores = new Stores(kind);
        long before = stores.approvals.revision();
        Approval first = stores.asked();
        Approval second = stores.asked();
        var none = Optional.<Set<UUID>>empty();
        assertThat(stores.approvals.changedAfter(before, none, 10)).containsExactly(first, second);
        Approval denied = stores.approvals.deny(first.id(), BY_ADMIN).orElseThrow();
        assertThat(stores.approvals.changedAfter(before, none, 10)).containsExactly(second, denied);
        assertThat(stores.approvals.changedAfter(second.revision(), none, 10)).containsExactly(denied);
        assertThat(stores.approvals.changedAfter(before, Optional.of(Set.of(second.agentUid())), 10))
                .containsExactly(second);
        assertThat(stores.approvals.changedAfter(before, Optional.of(Set.of()), 10))
                .isEmpty();
        assertThat(stores.approvals.revision()).isEqualTo(denied.revision());
        assertThat(stores.approvals
                        .list(none, Optional.of(State.PENDING), PageRequest.first(10))
                        .items())
                .containsExactly(second);
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_rule_matches_its_call_requester_sandbox_and_session_until_it_expires(TestDatabase kind) {
        var stores = new Stores(kind);
        Approval asked = stores.asked();
        ApprovalRule rule = stores.rule(asked, Optional.of(asked.sessionId()));
        stores.approvals.approve(asked.id(), BY_ADMIN, new ExecId(newId()), Optional.of(rule));
        assertThat(stores.rules.find(rule.id())).contains(rule);
        var session = asked.sessionId();
        var sandbox = asked.place().sandbox();
        var requester = asked.requester();
        UUID agent = asked.agentUid();
        assertThat(stores.rules.use(agent, sandbox, session, requester, "other", NOW))
                .isEmpty();
        assertThat(stores.rules.use(agent, sandbox, session, new Author.Program(agent), asked.sha256(), NOW))
                .isEmpty();
        assertThat(stores.rules.use(agent, new SandboxId(newId()), session, requester, asked.sha256(), NOW))
                .isEmpty();
        assertThat(stores.rules.use(agent, sandbox, new SessionId(newId()), requester, asked.sha256(), NOW))
                .isEmpty();
        assertThat(stores.rules.use(newId(), sandbox, session, requester, asked.sha256(), NOW))
                .isEmpty();
        assertThat(stores.rules.use(agent, sandbox, session, requester, asked.sha256(), rule.expiresAt()))
                .isEmpty();
        assertThat(stores.rules.use(agent, sandbox, session, requester, asked.sha256(), NOW))
                .contains(rule.id());
        assertThat(stores.rules.find(rule.id()).orElseThrow().uses()).isEqualTo(1);
        assertThat(stores.rules.find(rule.id()).orElseThrow().lastUsedAt()).contains(NOW);

        stores.sessions.end(session, new Session.End(NOW, "requested"), Optional.empty());
        stores.rules.prune(NOW);
        assertThat(stores.rules.find(rule.id())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void a_rule_is_not_remembered_with_a_decision_that_came_too_late(TestDatabase kind) {
        var stores = new Stores(kind);
        Approval asked = stores.asked();
        stores.approvals.deny(asked.id(), BY_ADMIN);
        ApprovalRule rule = stores.rule(asked, Optional.empty());
        stores.approvals.approve(asked.id(), BY_ADMIN, new ExecId(newId()), Optional.of(rule));
        assertThat(stores.rules
                        .list(Optional.empty(), PageRequest.first(10), NOW)
                        .items())
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void each_change_is_told_in_the_log_of_its_session(TestDatabase kind) {
        var stores = new Stores(kind);
        Approval done = stores.asked();
        stores.approvals.approve(done.id(), BY_ADMIN, new ExecId(newId()), Optional.empty());
        stores.approvals.begin(done.id());
        stores.approvals.finish(done.id(), State.DONE, Optional.empty(), Optional.of(Map.of()), RESULT, NOW);
        assertThat(stores.events(done)).containsExactly("approval_required", "approval_decided", "tool_result");
        stores.approvals.finish(done.id(), State.DONE, Optional.empty(), Optional.of(Map.of()), RESULT, NOW);
        assertThat(stores.events(done)).hasSize(3);

        Approval denied = stores.asked();
        stores.approvals.deny(denied.id(), BY_ADMIN);
        stores.approvals.deny(denied.id(), BY_ADMIN);
        assertThat(stores.events(denied)).containsExactly("approval_required", "approval_decided");

        Approval expired = stores.asked();
        stores.approvals.settle(expired.expiresAt());
        stores.approvals.settle(expired.expiresAt());
        assertThat(stores.events(expired)).containsExactly("approval_required", "approval_decided");
    }

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void what_cannot_be_told_is_not_changed(TestDatabase kind) {
        var stores = new Stores(kind);
        var mute = new SqlApprovalStore(stores.database, (_, _, _, _) -> {
            throw new IllegalStateException("the gateway dies here");
        });
        Approval wanted = stores.approval();
        assertThatThrownBy(() -> mute.add(wanted, Map.of())).hasMessageContaining("dies here");
        assertThat(stores.approvals.find(wanted.id())).isEmpty();

        Approval asked = stores.asked();
        ApprovalRule rule = stores.rule(asked, Optional.empty());
        assertThatThrownBy(() -> mute.deny(asked.id(), BY_ADMIN)).hasMessageContaining("dies here");
        assertThatThrownBy(() -> mute.approve(asked.id(), BY_ADMIN, new ExecId(newId()), Optional.of(rule)))
                .hasMessageContaining("dies here");
        assertThatThrownBy(() -> mute.settle(asked.expiresAt())).hasMessageContaining("dies here");
        assertThat(stores.approvals.find(asked.id())).contains(asked);
        assertThat(stores.rules.find(rule.id())).isEmpty();

        stores.approvals.approve(asked.id(), BY_ADMIN, new ExecId(newId()), Optional.empty());
        stores.approvals.begin(asked.id());
        assertThatThrownBy(
                        () -> mute.finish(asked.id(), State.DONE, Optional.empty(), Optional.of(Map.of()), RESULT, NOW))
                .hasMessageContaining("dies here");
        assertThat(stores.approvals.ofGateway(GATEWAY, State.EXECUTING)).hasSize(1);
    }

    private UUID newId() {
        ids = ids.plus(Duration.ofMillis(1));
        return Uuids.timeOrdered(ids, random);
    }

    private final class Stores {
        private final Database database;
        private final SqlApprovalStore approvals;
        private final SqlRuleStore rules;
        private final SqlSessionStore sessions;
        private final SqlSandboxStore sandboxes;

        Stores(TestDatabase kind) {
            database = Database.open(kind.migrated(directory));
            opened.add(database);
            approvals = new SqlApprovalStore(database, new LogRows(Redaction.NONE)::append);
            rules = new SqlRuleStore(database);
            sessions = new SqlSessionStore(database, new LogRows(Redaction.NONE));
            sandboxes = new SqlSandboxStore(database);
        }

        List<String> events(Approval approval) {
            return sessions.events(approval.sessionId(), 0, EnumSet.allOf(SessionEvent.Type.class), 100).stream()
                    .map(each -> each.type().toString())
                    .toList();
        }

        Approval asked() {
            return approvals.add(approval(), Map.of("arguments", Map.of()));
        }

        /// With an agent, a sandbox and a session of its own.
        Approval approval() {
            String name = "a-" + newId();
            var agent = new Agent(newId(), new AgentId(name), name, AgentConfig.EMPTY, 1, NOW, NOW);
            var sandbox = new Sandbox(
                    new SandboxId(newId()),
                    agent.uid(),
                    agent.id(),
                    Alias.DEFAULT,
                    BackendConfig.of(BackendType.DOCKER, Map.of(), ""),
                    new SandboxStatus.Pending(),
                    0,
                    Map.of(),
                    NOW,
                    NOW,
                    1);
            sandboxes.createAgent(agent, SecurityPolicy.DEFAULT, Optional.of(sandbox), Optional.empty());
            var session = new Session(
                    new SessionId(newId()),
                    agent.uid(),
                    new Author.Admin(),
                    Optional.empty(),
                    Map.of(),
                    Map.of(),
                    0,
                    NOW,
                    NOW,
                    Optional.empty());
            sessions.add(session);
            return new Approval(
                    new ApprovalId(newId()),
                    agent.uid(),
                    agent.id(),
                    session.id(),
                    newId(),
                    "exec",
                    new Author.Admin(),
                    new Place(sandbox.id(), 1, 0),
                    Map.of("command", "id"),
                    "ab".repeat(32),
                    GATEWAY,
                    State.PENDING,
                    Optional.empty(),
                    NOW,
                    NOW.plusSeconds(600),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    0);
        }

        ApprovalRule rule(Approval approval, Optional<SessionId> session) {
            return new ApprovalRule(
                    new ApprovalRule.Id(newId()),
                    approval.agentUid(),
                    approval.agentId(),
                    approval.place().sandbox(),
                    session,
                    approval.requester(),
                    approval.summary(),
                    approval.sha256(),
                    "admin",
                    NOW,
                    NOW.plusSeconds(3_600),
                    0,
                    Optional.empty());
        }
    }
}
