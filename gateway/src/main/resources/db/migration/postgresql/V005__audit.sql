-- Where the chain of each gateway begins and ends. What was pruned is remembered by its last record: the next one
-- goes on from there.
create table audit_chains (
    gateway uuid not null primary key,
    pruned_number bigint not null,
    pruned_sha256 text not null,
    last_number bigint not null,
    last_sha256 text not null
);

-- Only ever added to, and pruned from the beginning.
create table audit (
    gateway uuid not null references audit_chains (gateway),
    number bigint not null,
    at timestamptz not null,
    who text collate "C" not null,
    address text not null,
    action text collate "C" not null,
    agent_uid uuid,
    target text not null,
    result text not null,
    request_id text not null,
    details jsonb not null,
    previous_sha256 text not null,
    sha256 text not null,
    primary key (gateway, number)
);

create index audit_in_time on audit (at, number, gateway);
create index audit_of_agent on audit (agent_uid, at);
create index audit_of_who on audit (who, at);
