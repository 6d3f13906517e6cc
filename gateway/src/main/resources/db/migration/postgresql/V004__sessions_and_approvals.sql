-- Whose a session is: a person's, that of the agent's own programs, or the admin's. `channel` is the one that vouched for
-- the person when it was opened. `last_seq` is the number of its newest event: taken by an update of this row, so that
-- events become visible in the order of their numbers.
create table sessions (
    id uuid not null primary key,
    agent_uid uuid not null references agents (uid),
    owner_kind text not null check (owner_kind in ('user', 'agent', 'admin')),
    user_id uuid references users (id),
    channel text,
    source jsonb not null,
    metadata jsonb not null,
    last_seq bigint not null check (last_seq >= 0),
    created_at timestamptz not null,
    last_active_at timestamptz not null,
    ended_at timestamptz,
    end_reason text,
    deleted_at timestamptz,
    check ((owner_kind = 'user') = (user_id is not null)),
    check ((ended_at is null) = (end_reason is null))
);

create index sessions_of_agent on sessions (agent_uid, id) where deleted_at is null;
create index sessions_of_user on sessions (user_id);
create index sessions_open on sessions (last_active_at) where ended_at is null and deleted_at is null;

create table session_events (
    session_id uuid not null references sessions (id),
    seq bigint not null check (seq >= 1),
    type text not null,
    data jsonb not null,
    created_at timestamptz not null,
    primary key (session_id, seq)
);

-- Which commands were started in a session: only those can be asked about there.
create table session_execs (
    exec_id uuid not null primary key,
    session_id uuid not null references sessions (id)
);

-- A call that asks a person first. `call` is all that is needed to carry it out, values of variables and input included;
-- it is forgotten with the end of the matter. `revision` is taken from `counters` in the transaction that changes the row.
create table approvals (
    id uuid not null primary key,
    agent_uid uuid not null references agents (uid),
    session_id uuid not null references sessions (id),
    call_id uuid not null,
    tool text not null,
    requester_kind text not null check (requester_kind in ('user', 'agent', 'admin')),
    requester_user_id uuid references users (id),
    sandbox_id uuid not null references sandboxes (id),
    sandbox_version bigint not null,
    sandbox_generation bigint not null,
    summary jsonb not null,
    call jsonb,
    call_sha256 text not null,
    gateway uuid not null,
    state text not null check (state in (
        'pending', 'approved', 'executing', 'done', 'denied', 'expired', 'cancelled', 'unknown')),
    exec_id uuid,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    decided_at timestamptz,
    decided_by text,
    reason text,
    result jsonb,
    finished_at timestamptz,
    revision bigint not null,
    check ((requester_kind = 'user') = (requester_user_id is not null)),
    check (state = 'pending' or decided_at is not null),
    check (state not in ('approved', 'executing') or (call is not null and exec_id is not null))
);

create unique index approvals_revision on approvals (revision);
create index approvals_of_agent on approvals (agent_uid, id);
create index approvals_undone on approvals (expires_at) where state in ('pending', 'approved', 'executing');

-- A command that need not ask again. It is the same command if `call_sha256` is the same: nothing less is compared.
create table approval_rules (
    id uuid not null primary key,
    agent_uid uuid not null references agents (uid),
    sandbox_id uuid not null references sandboxes (id),
    session_id uuid references sessions (id),
    requester_kind text not null check (requester_kind in ('user', 'agent', 'admin')),
    requester_user_id uuid references users (id),
    summary jsonb not null,
    call_sha256 text not null,
    author text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    uses bigint not null check (uses >= 0),
    last_used_at timestamptz,
    check ((requester_kind = 'user') = (requester_user_id is not null))
);

create index approval_rules_match on approval_rules (sandbox_id, call_sha256);

create table counters (
    name text not null primary key,
    value bigint not null
);

insert into counters (name, value) values ('approvals', 0);
