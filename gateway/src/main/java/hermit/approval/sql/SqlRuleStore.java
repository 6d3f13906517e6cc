package hermit.approval.sql;

import static hermit.db.generated.Tables.AGENTS;
import static hermit.db.generated.Tables.APPROVAL_RULES;
import static hermit.db.generated.Tables.SESSIONS;

import hermit.approval.ApprovalRule;
import hermit.approval.RuleStore;
import hermit.db.Database;
import hermit.exec.Uuids;
import hermit.paging.Page;
import hermit.paging.PageRequest;
import hermit.problem.GatewayException.Invalid;
import hermit.sandbox.SandboxId;
import hermit.session.Author;
import hermit.session.SessionId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SelectOnConditionStep;
import org.jooq.impl.DSL;

/// Rules in the table `approval_rules`.
public final class SqlRuleStore implements RuleStore {
    private final Database database;

    public SqlRuleStore(Database database) {
        this.database = database;
    }

    @Override
    public Optional<ApprovalRule.Id> use(
            UUID agentUid, SandboxId sandbox, SessionId session, Author requester, String sha256, Instant now) {
        Condition user = requester
                .person()
                .map(person -> APPROVAL_RULES.REQUESTER_USER_ID.eq(person.value()))
                .orElse(APPROVAL_RULES.REQUESTER_USER_ID.isNull());
        Condition matches = DSL.and(
                APPROVAL_RULES.AGENT_UID.eq(agentUid),
                APPROVAL_RULES.SANDBOX_ID.eq(sandbox.value()),
                APPROVAL_RULES.CALL_SHA256.eq(sha256),
                APPROVAL_RULES.REQUESTER_KIND.eq(requester.kind()),
                user,
                APPROVAL_RULES.SESSION_ID.isNull().or(APPROVAL_RULES.SESSION_ID.eq(session.value())),
                APPROVAL_RULES.EXPIRES_AT.gt(now));
        var found = database.read("find a rule", sql -> first(sql, matches));
        return found.flatMap(id -> database.write(
                "use a rule",
                sql -> sql.update(APPROVAL_RULES)
                        .set(APPROVAL_RULES.USES, APPROVAL_RULES.USES.plus(1))
                        .set(APPROVAL_RULES.LAST_USED_AT, now)
                        .where(APPROVAL_RULES.ID.eq(id), matches)
                        .returning(APPROVAL_RULES.ID)
                        .fetchOptional(APPROVAL_RULES.ID)
                        .map(ApprovalRule.Id::new)));
    }

    @Override
    public Optional<ApprovalRule> find(ApprovalRule.Id id) {
        return database.read(
                "find a rule",
                sql -> rows(sql).where(APPROVAL_RULES.ID.eq(id.value())).fetchOptional(ApprovalRows::readRule));
    }

    @Override
    public Page<ApprovalRule> list(Optional<Set<UUID>> agents, PageRequest page, Instant now) {
        Condition wanted = DSL.and(
                APPROVAL_RULES.EXPIRES_AT.gt(now),
                AGENTS.DELETED_AT.isNull(),
                agents.map(APPROVAL_RULES.AGENT_UID::in).orElse(DSL.noCondition()),
                page.after().map(key -> APPROVAL_RULES.ID.lt(key(key))).orElse(DSL.noCondition()));
        List<ApprovalRule> found = database.read(
                "list rules",
                sql -> rows(sql)
                        .where(wanted)
                        .orderBy(APPROVAL_RULES.ID.desc())
                        .limit(page.limit() + 1)
                        .fetch(ApprovalRows::readRule));
        return Page.of(found, page.limit(), rule -> rule.id().toString());
    }

    @Override
    public boolean remove(ApprovalRule.Id id) {
        return database.write(
                        "remove a rule",
                        sql -> sql.deleteFrom(APPROVAL_RULES)
                                .where(APPROVAL_RULES.ID.eq(id.value()))
                                .execute())
                == 1;
    }

    @Override
    public void prune(Instant now) {
        var ended = DSL.select(SESSIONS.ID)
                .from(SESSIONS)
                .where(SESSIONS.ENDED_AT.isNotNull().or(SESSIONS.DELETED_AT.isNotNull()));
        database.write(
                "remove old rules",
                sql -> sql.deleteFrom(APPROVAL_RULES)
                        .where(APPROVAL_RULES.EXPIRES_AT.le(now).or(APPROVAL_RULES.SESSION_ID.in(ended)))
                        .execute());
    }

    private static Optional<UUID> first(DSLContext sql, Condition matches) {
        return sql.select(APPROVAL_RULES.ID)
                .from(APPROVAL_RULES)
                .where(matches)
                .orderBy(APPROVAL_RULES.ID)
                .limit(1)
                .fetchOptional(APPROVAL_RULES.ID);
    }

    private static SelectOnConditionStep<Record> rows(DSLContext sql) {
        return sql.select(APPROVAL_RULES.fields())
                .select(AGENTS.ID)
                .from(APPROVAL_RULES)
                .join(AGENTS)
                .on(AGENTS.UID.eq(APPROVAL_RULES.AGENT_UID));
    }

    private static UUID key(String key) {
        return Uuids.parse(key).orElseThrow(() -> new Invalid("cursor", "does not belong to this list"));
    }
}
