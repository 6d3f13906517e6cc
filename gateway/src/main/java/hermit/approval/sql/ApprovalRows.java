package hermit.approval.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.APPROVALS;
import static hermit.db.generated.Tables.APPROVAL_RULES;

import hermit.agent.AgentId;
import hermit.approval.Approval;
import hermit.approval.Approval.Place;
import hermit.approval.Approval.Settlement;
import hermit.approval.ApprovalId;
import hermit.approval.ApprovalRule;
import hermit.db.Jsonb;
import hermit.db.generated.tables.records.ApprovalRulesRecord;
import hermit.db.generated.tables.records.ApprovalsRecord;
import hermit.exec.ExecId;
import hermit.identity.UserId;
import hermit.sandbox.SandboxId;
import hermit.session.Author;
import hermit.session.SessionId;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jooq.Record;

/// Approvals and rules as columns, and back.
final class ApprovalRows {
    private ApprovalRows() {}

    static ApprovalsRecord write(Approval approval, Map<String, Object> call) {
        var row = new ApprovalsRecord();
        row.setId(approval.id().value());
        row.setAgentUid(approval.agentUid());
        row.setSessionId(approval.sessionId().value());
        row.setCallId(approval.callId());
        row.setTool(approval.tool());
        row.setRequesterKind(approval.requester().kind());
        approval.requester().person().map(UserId::value).ifPresent(row::setRequesterUserId);
        row.setSandboxId(approval.place().sandbox().value());
        row.setSandboxVersion(approval.place().version());
        row.setSandboxGeneration(approval.place().generation());
        row.setSummary(Jsonb.withoutNul(approval.summary()));
        row.setCall(Jsonb.of(call));
        row.setCallSha256(approval.sha256());
        row.setGateway(approval.gateway());
        row.setState(approval.state().toString());
        approval.execId().map(ExecId::value).ifPresent(row::setExecId);
        row.setCreatedAt(approval.createdAt());
        row.setExpiresAt(approval.expiresAt());
        return row;
    }

    /// With the columns of `agents` joined to it.
    static Approval read(Record joined) {
        ApprovalsRecord row = joined.into(APPROVALS);
        return new Approval(
                new ApprovalId(row.getId()),
                row.getAgentUid(),
                new AgentId(joined.get(AGENTS.ID)),
                new SessionId(row.getSessionId()),
                row.getCallId(),
                row.getTool(),
                author(row.getRequesterKind(), Optional.ofNullable(row.getRequesterUserId()), row.getAgentUid()),
                new Place(new SandboxId(row.getSandboxId()), row.getSandboxVersion(), row.getSandboxGeneration()),
                Jsonb.object(row.getSummary()),
                row.getCallSha256(),
                row.getGateway(),
                Approval.State.valueOf(row.getState().toUpperCase(Locale.ROOT)),
                Optional.ofNullable(row.getExecId()).map(ExecId::new),
                row.getCreatedAt(),
                row.getExpiresAt(),
                Optional.ofNullable(row.getDecidedAt())
                        .map(at -> new Settlement(at, row.getDecidedBy(), Optional.ofNullable(row.getReason()))),
                Optional.ofNullable(row.getResult()).map(Jsonb::object),
                Optional.ofNullable(row.getFinishedAt()),
                row.getRevision());
    }

    static ApprovalRulesRecord write(ApprovalRule rule) {
        var row = new ApprovalRulesRecord();
        row.setId(rule.id().value());
        row.setAgentUid(rule.agentUid());
        row.setSandboxId(rule.sandboxId().value());
        rule.sessionId().map(SessionId::value).ifPresent(row::setSessionId);
        row.setRequesterKind(rule.requester().kind());
        rule.requester().person().map(UserId::value).ifPresent(row::setRequesterUserId);
        row.setSummary(Jsonb.withoutNul(rule.summary()));
        row.setCallSha256(rule.sha256());
        row.setAuthor(rule.author());
        row.setCreatedAt(rule.createdAt());
        row.setExpiresAt(rule.expiresAt());
        row.setUses(rule.uses());
        return row;
    }

    /// With the columns of `agents` joined to it.
    static ApprovalRule readRule(Record joined) {
        ApprovalRulesRecord row = joined.into(APPROVAL_RULES);
        return new ApprovalRule(
                new ApprovalRule.Id(row.getId()),
                row.getAgentUid(),
                new AgentId(joined.get(AGENTS.ID)),
                new SandboxId(row.getSandboxId()),
                Optional.ofNullable(row.getSessionId()).map(SessionId::new),
                author(row.getRequesterKind(), Optional.ofNullable(row.getRequesterUserId()), row.getAgentUid()),
                Jsonb.object(row.getSummary()),
                row.getCallSha256(),
                row.getAuthor(),
                row.getCreatedAt(),
                row.getExpiresAt(),
                row.getUses(),
                Optional.ofNullable(row.getLastUsedAt()));
    }

    private static Author author(String kind, Optional<UUID> user, UUID agentUid) {
        return Author.of(kind, user.map(UserId::new), agentUid);
    }
}
