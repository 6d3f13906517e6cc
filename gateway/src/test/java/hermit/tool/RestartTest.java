package hermit.tool;

import static org.assertj.core.api.Assertions.assertThat;

import hermit.access.Caller;
import hermit.access.FailedJoins;
import hermit.access.Gate;
import hermit.access.Members;
import hermit.access.SecurityPolicies;
import hermit.access.sql.SqlMembershipStore;
import hermit.access.sql.SqlSecurityStore;
import hermit.agent.AgentId;
import hermit.agent.Agents;
import hermit.agent.sql.SqlAgentStore;
import hermit.approval.Approval;
import hermit.approval.Approval.State;
import hermit.approval.ApprovalFeed;
import hermit.approval.ApprovalRules;
import hermit.approval.Approvals;
import hermit.approval.ApprovedRuns;
import hermit.approval.Deciders;
import hermit.approval.sql.SqlApprovalStore;
import hermit.approval.sql.SqlRuleStore;
import hermit.command.Commands;
import hermit.command.ExecLimits;
import hermit.command.Recovery;
import hermit.command.SandboxFiles;
import hermit.command.Watch;
import hermit.command.sql.SqlExecStore;
import hermit.db.Database;
import hermit.db.TestDatabase;
import hermit.exec.BackendConfig;
import hermit.exec.BackendType;
import hermit.exec.Exit;
import hermit.exec.FakeProvider;
import hermit.identity.Tokens;
import hermit.identity.Users;
import hermit.identity.sql.SqlTokenStore;
import hermit.identity.sql.SqlUserStore;
import hermit.sandbox.Alias;
import hermit.sandbox.Backends;
import hermit.sandbox.Machines;
import hermit.sandbox.Preset;
import hermit.sandbox.Presets;
import hermit.sandbox.Provisioning;
import hermit.sandbox.Sandboxes;
import hermit.sandbox.sql.SqlLeaseStore;
import hermit.sandbox.sql.SqlSandboxStore;
import hermit.session.Authors;
import hermit.session.Redaction;
import hermit.session.SessionEvent;
import hermit.session.SessionLog;
import hermit.session.SessionMachines;
import hermit.session.Sessions;
import hermit.session.sql.LogRows;
import hermit.session.sql.SqlSessionStore;
import hermit.world.TestWorld;
import hermit.world.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What was approved, and the gateway died over it. It is carried out at most once, whatever is known
/// afterwards.
@DisplayNameGeneration(ReplaceUnderscores.class)
@Timeout(60)
class RestartTest {
    private static final AgentId MAIN = new AgentId("main");
    private static final UUID GATEWAY = new UUID(1, 1);
    private static final Caller ADMIN = new Caller.Admin();

    @TempDir
    Path directory;

    private final TestWorld time = new TestWorld();
    private final World world = time.world();
    private final FakeProvider docker = new FakeProvider(BackendType.DOCKER);
    private Optional<Database> database = Optional.empty();
    private Optional<House> current = Optional.empty();

    @BeforeEach
    void an_agent_with_a_sandbox() {
        database = Optional.of(Database.open(TestDatabase.SQLITE.migrated(directory)));
        var house = house();
        var presets = new Presets(
                List.of(new Preset("dev", BackendConfig.of(BackendType.DOCKER, Map.of(), ""))), Optional.of("dev"));
        new Provisioning(house.agents, house.rows, house.sandboxes, house.backends, presets, world)
                .create(Map.of("id", "main"), Optional.empty());
    }

    @AfterEach
    void close() {
        current.ifPresent(House::die);
        database.ifPresent(Database::close);
    }

    @Test
    void a_command_that_ran_on_is_done_when_it_has_ended_and_runs_once() throws Exception {
        Approval approved = executing("hang");
        House next = restarted();
        next.runs.sweep();
        assertThat(next.state(approved)).isEqualTo(State.EXECUTING);
        next.recovery.run();
        next.runs.sweep();
        assertThat(next.state(approved)).isEqualTo(State.EXECUTING);
        var live = next.watch.find(approved.execId().orElseThrow()).orElseThrow();
        docker.finish(next.row(), live.id(), new Exit.Exited(4));
        live.awaitEnd();
        next.runs.sweep();
        assertThat(next.state(approved)).isEqualTo(State.DONE);
        assertThat(next.approvals.get(ADMIN, approved.id()).result().orElseThrow())
                .containsEntry("exit_code", 4L);
        assertThat(docker.started).hasSize(1);
        assertThat(next.events(approved)).endsWith("approval_decided", "tool_output", "tool_result");
    }

    @Test
    void one_whose_outcome_cannot_be_learned_is_unknown_and_is_never_run_again() throws Exception {
        Approval approved = executing("hang");
        docker.lose(current.orElseThrow().row());
        House next = restarted();
        next.recovery.run();
        next.runs.sweep();
        next.runs.settle();
        next.runs.sweep();
        assertThat(next.state(approved)).isEqualTo(State.UNKNOWN);
        assertThat(docker.started).hasSize(1);
        assertThat(next.events(approved)).endsWith("tool_result");
    }

    @Test
    void one_that_had_only_been_begun_is_unknown() throws Exception {
        House first = current.orElseThrow();
        Approval asked = first.ask(Tool.EXEC, Map.of("command", "echo x"));
        first.approvals.decide(ADMIN, asked.id(), Map.of("decision", "approve"));
        first.approvalStore.begin(asked.id());
        House next = restarted();
        next.runs.sweep();
        next.runs.settle();
        assertThat(next.state(asked)).isEqualTo(State.UNKNOWN);
        assertThat(docker.started).isEmpty();
    }

    @Test
    void a_file_that_may_have_been_written_is_unknown() throws Exception {
        House first = current.orElseThrow();
        Approval asked = first.ask(Tool.WRITE_FILE, Map.of("path", "a", "content", "b"));
        first.approvals.decide(ADMIN, asked.id(), Map.of("decision", "approve"));
        first.approvalStore.begin(asked.id());
        House next = restarted();
        next.runs.sweep();
        assertThat(next.state(asked)).isEqualTo(State.UNKNOWN);
        assertThat(docker.started).isEmpty();
    }

    @Test
    void one_that_was_approved_and_not_begun_is_carried_out_after_the_restart_unless_it_has_expired() throws Exception {
        House first = current.orElseThrow();
        Approval soon = first.ask(Tool.EXEC, Map.of("command", "echo soon"));
        first.approvals.decide(ADMIN, soon.id(), Map.of("decision", "approve"));
        House next = restarted();
        next.runs.sweep();
        next.runs.settle();
        assertThat(next.state(soon)).isEqualTo(State.DONE);
        assertThat(docker.started).hasSize(1);

        Approval late = next.ask(Tool.EXEC, Map.of("command", "echo late"));
        next.approvals.decide(ADMIN, late.id(), Map.of("decision", "approve"));
        House last = restarted();
        time.advance(Approvals.EXPIRY);
        last.runs.sweep();
        last.runs.settle();
        assertThat(last.state(late)).isEqualTo(State.EXPIRED);
        assertThat(docker.started).hasSize(1);
    }

    @Test
    void silence_is_no_over_a_restart_too() throws Exception {
        Approval asked = current.orElseThrow().ask(Tool.EXEC, Map.of("command", "id"));
        House next = restarted();
        assertThat(next.state(asked)).isEqualTo(State.PENDING);
        time.advance(Approvals.EXPIRY);
        next.runs.sweep();
        assertThat(next.state(asked)).isEqualTo(State.EXPIRED);
    }

    /// Approved, and its command runs.
    private Approval executing(String command) throws InterruptedException {
        House house = current.orElseThrow();
        Approval asked = house.ask(Tool.EXEC, Map.of("command", command));
        Approval approved = house.approvals.decide(ADMIN, asked.id(), Map.of("decision", "approve"));
        house.runs.sweep();
        while (startedCount() == 0) Thread.onSpinWait();
        return approved;
    }

    private int startedCount() {
        synchronized (docker.started) {
            return docker.started.size();
        }
    }

    private House restarted() {
        current.ifPresent(House::die);
        return house();
    }

    private House house() {
        var house = new House(database.orElseThrow());
        current = Optional.of(house);
        return house;
    }

    /// Everything that a restart of the gateway builds anew.
    private final class House {
        private final SqlAgentStore agentStore;
        private final Agents agents;
        private final SqlSandboxStore rows;
        private final Backends backends = new Backends(List.of(docker));
        private final Machines machines;
        private final Sandboxes sandboxes;
        private final Watch watch;
        private final Recovery recovery;
        private final SqlSessionStore sessionStore;
        private final SqlApprovalStore approvalStore;
        private final Approvals approvals;
        private final ApprovedRuns runs;
        private final Sessions sessions;
        private final Tools tools;
        private final Gate gate;

        House(Database database) {
            agentStore = new SqlAgentStore(database);
            agents = new Agents(agentStore, world);
            rows = new SqlSandboxStore(database);
            machines = new Machines(rows, backends, new SqlLeaseStore(database), GATEWAY, world);
            sandboxes = new Sandboxes(agents, rows, backends, machines, world);
            var execs = new SqlExecStore(database);
            watch = new Watch(execs, world, _ -> {});
            var commands = new Commands(sandboxes, machines, execs, watch, ExecLimits.DEFAULT, GATEWAY, world);
            recovery = new Recovery(execs, rows, machines, watch, GATEWAY, world);
            var files = new SandboxFiles(sandboxes, machines, world);
            var memberships = new SqlMembershipStore(database);
            var users = new Users(new SqlUserStore(database), world);
            gate = new Gate(memberships, true);
            var authors = new Authors(gate, new Tokens(new SqlTokenStore(database), agents, world));
            sessionStore = new SqlSessionStore(database, new LogRows(Redaction.NONE));
            var log = new SessionLog(sessionStore, world);
            approvalStore = new SqlApprovalStore(database, new LogRows(Redaction.NONE)::append);
            var deciders = new Deciders(gate, memberships);
            approvals = new Approvals(approvalStore, new ApprovalFeed(approvalStore), log, deciders, world);
            var rules = new ApprovalRules(new SqlRuleStore(database), deciders, world);
            runs = new ApprovedRuns(
                    approvalStore,
                    approvals,
                    new ApprovedTools(authors, rows, commands, files, sessionStore, Redaction.NONE, world),
                    GATEWAY,
                    world);
            sessions = new Sessions(
                    sessionStore,
                    log,
                    gate,
                    new Members(memberships, users, new FailedJoins(world.clock()), world),
                    users,
                    authors,
                    new SessionMachines(agentStore, rows, sessionStore, machines),
                    () -> {},
                    Duration.ofHours(1),
                    world);
            tools = new Tools(
                    sessions,
                    sessionStore,
                    log,
                    sandboxes,
                    commands,
                    files,
                    approvals,
                    rules,
                    Redaction.NONE,
                    GATEWAY,
                    world);
        }

        Approval ask(Tool tool, Map<String, Object> arguments) throws InterruptedException {
            new SecurityPolicies(agents, new SqlSecurityStore(database.orElseThrow()), world)
                    .replace(
                            MAIN,
                            Map.of(
                                    "access", "private",
                                    "autonomy_level", "supervised",
                                    "require_approval_for", List.of("exec", "write_file")));
            var standing = gate.standing(ADMIN, "main");
            var opened = sessions.open(ADMIN, standing, Map.of());
            var entered = sessions.enter(ADMIN, standing, opened.session().id().toString(), Optional.empty());
            return ((Tools.Answer.Asked) tools.call(entered, tool, arguments)).approval();
        }

        State state(Approval approval) {
            return approvals.get(ADMIN, approval.id()).state();
        }

        List<String> events(Approval approval) {
            Set<SessionEvent.Type> all = EnumSet.allOf(SessionEvent.Type.class);
            return sessionStore.events(approval.sessionId(), 0, all, 100).stream()
                    .map(each -> each.type().toString())
                    .toList();
        }

        UUID row() {
            return sandboxes.get(MAIN, Alias.DEFAULT).id().value();
        }

        void die() {
            runs.close();
            watch.close();
            machines.close();
        }
    }
}
