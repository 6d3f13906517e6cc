-- Folders with a SKILL.md, as they were at the last scan. `archive` is a tar whose names begin with the skill's: kept here,
-- every gateway on this database has it.
create table skills (
    name text not null primary key,
    description text not null,
    digest text not null,
    files integer not null,
    bytes bigint not null,
    scanned_at timestamp not null,
    archive blob not null
);

-- Who has which. `agent` is an agent's uid, or `*` for all.
create table agent_skills (
    skill text not null references skills (name),
    agent text not null,
    primary key (skill, agent)
);
