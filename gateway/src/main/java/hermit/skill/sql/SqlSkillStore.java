package hermit.skill.sql;

import static hermit.db.generated.Tables.AGENT_SKILLS;
import static hermit.db.generated.Tables.SKILLS;

import hermit.db.Database;
import hermit.skill.Skill;
import hermit.skill.SkillName;
import hermit.skill.SkillStore;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SelectJoinStep;

/// Skills in the tables `skills` and `agent_skills`.
public final class SqlSkillStore implements SkillStore {
    /// In `agent_skills`, where all agents are meant.
    private static final String ALL = "*";

    private final Database database;

    public SqlSkillStore(Database database) {
        this.database = database;
    }

    @Override
    public List<Skill> all() {
        return database.read(
                "list skills", sql -> rows(sql).orderBy(SKILLS.NAME).fetch(SqlSkillStore::skill));
    }

    @Override
    public Optional<Skill> find(SkillName name) {
        return database.read(
                "find a skill",
                sql -> rows(sql).where(SKILLS.NAME.eq(name.value())).fetchOptional(SqlSkillStore::skill));
    }

    @Override
    public byte[] archive(SkillName name) {
        return database.read(
                "read a skill",
                sql -> sql.select(SKILLS.ARCHIVE)
                        .from(SKILLS)
                        .where(SKILLS.NAME.eq(name.value()))
                        .fetchOptional(SKILLS.ARCHIVE)
                        .orElseThrow(() -> new IllegalStateException("the skill %s is gone".formatted(name))));
    }

    @Override
    public void replace(Map<Skill, byte[]> skills) {
        Set<String> names = new HashSet<>();
        skills.keySet().forEach(skill -> names.add(skill.name().value()));
        database.write("replace the skills", sql -> {
            sql.deleteFrom(AGENT_SKILLS).where(AGENT_SKILLS.SKILL.notIn(names)).execute();
            sql.deleteFrom(SKILLS).where(SKILLS.NAME.notIn(names)).execute();
            skills.forEach((skill, archive) -> put(sql, skill, archive));
            return names.size();
        });
    }

    @Override
    public Map<SkillName, String> of(UUID agentUid) {
        var found = new TreeMap<SkillName, String>();
        database.read(
                        "find an agent's skills",
                        sql -> sql.selectDistinct(SKILLS.NAME, SKILLS.DIGEST)
                                .from(SKILLS)
                                .join(AGENT_SKILLS)
                                .on(AGENT_SKILLS.SKILL.eq(SKILLS.NAME))
                                .where(AGENT_SKILLS.AGENT.in(ALL, agentUid.toString()))
                                .fetch())
                .forEach(row -> found.put(new SkillName(row.get(SKILLS.NAME)), row.get(SKILLS.DIGEST)));
        return found;
    }

    @Override
    public Set<SkillName> enabledFor(Optional<UUID> agentUid) {
        return database.read(
                "find who has skills",
                sql -> new HashSet<>(sql.select(AGENT_SKILLS.SKILL)
                        .from(AGENT_SKILLS)
                        .where(AGENT_SKILLS.AGENT.eq(key(agentUid)))
                        .fetch(row -> new SkillName(row.value1()))));
    }

    @Override
    public void enable(SkillName name, Optional<UUID> agentUid) {
        database.write(
                "enable a skill",
                sql -> sql.insertInto(AGENT_SKILLS, AGENT_SKILLS.SKILL, AGENT_SKILLS.AGENT)
                        .values(name.value(), key(agentUid))
                        .onConflictDoNothing()
                        .execute());
    }

    @Override
    public boolean disable(SkillName name, Optional<UUID> agentUid) {
        Condition exactly = AGENT_SKILLS.SKILL.eq(name.value()).and(AGENT_SKILLS.AGENT.eq(key(agentUid)));
        return database.write(
                        "disable a skill",
                        sql -> sql.deleteFrom(AGENT_SKILLS).where(exactly).execute())
                == 1;
    }

    private static void put(DSLContext sql, Skill skill, byte[] archive) {
        sql.insertInto(SKILLS)
                .set(SKILLS.NAME, skill.name().value())
                .set(SKILLS.DESCRIPTION, skill.description())
                .set(SKILLS.DIGEST, skill.digest())
                .set(SKILLS.FILES, skill.files())
                .set(SKILLS.BYTES, skill.bytes())
                .set(SKILLS.SCANNED_AT, skill.scannedAt())
                .set(SKILLS.ARCHIVE, archive)
                .onConflict(SKILLS.NAME)
                .doUpdate()
                .set(SKILLS.DESCRIPTION, skill.description())
                .set(SKILLS.DIGEST, skill.digest())
                .set(SKILLS.FILES, skill.files())
                .set(SKILLS.BYTES, skill.bytes())
                .set(SKILLS.SCANNED_AT, skill.scannedAt())
                .set(SKILLS.ARCHIVE, archive)
                .execute();
    }

    /// Without the archives.
    private static SelectJoinStep<? extends Record> rows(DSLContext sql) {
        return sql.select(SKILLS.NAME, SKILLS.DESCRIPTION, SKILLS.DIGEST, SKILLS.FILES, SKILLS.BYTES, SKILLS.SCANNED_AT)
                .from(SKILLS);
    }

    private static Skill skill(Record row) {
        return new Skill(
                new SkillName(row.get(SKILLS.NAME)),
                row.get(SKILLS.DESCRIPTION),
                row.get(SKILLS.DIGEST),
                row.get(SKILLS.FILES),
                row.get(SKILLS.BYTES),
                row.get(SKILLS.SCANNED_AT));
    }

    private static String key(Optional<UUID> agentUid) {
        return agentUid.map(UUID::toString).orElse(ALL);
    }
}
