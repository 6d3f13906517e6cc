-- Folders with a SKILL.md, as they were at the last scan. `archive` is a tar whose names begin with the skill's: kept here,
-- every gateway on this database has it.
create table skills (
    name text collate "C" not null primary key,
    description text not null,
    digest text not null,
    files integer not null,
    bytes bigint not null,
    scanned_at timestamptz not null,
    archive bytea not null
);

-- Who has which. `agent` is an agent's uid, or `*` for all.
create table agent_skills (
    skill text collate "C" not null references skills (name),
    agent text not null,
    primary key (skill, agent)
);
