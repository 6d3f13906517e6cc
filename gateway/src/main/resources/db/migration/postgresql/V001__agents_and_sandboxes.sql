-- The same tables as in the folder beside this one, in the words of PostgreSQL. Names are compared by their bytes there, so
-- they are here, too: lists come in one order on both.

create table agents (
    uid uuid not null primary key,
    id text collate "C" not null,
    name text not null,
    config_json jsonb not null,
    security_json jsonb not null,
    version bigint not null check (version >= 1),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz
);

-- A deleted agent's id can be used again; its uid never is.
create unique index agents_live_id on agents (id) where deleted_at is null;

create table sandboxes (
    id uuid not null primary key,
    agent_uid uuid not null references agents (uid),
    alias text collate "C" not null,
    type text not null check (type in ('docker', 'e2b', 'daytona', 'tenki')),
    config jsonb not null,
    status text not null check (status in ('pending', 'provisioned', 'deleted')),
    external_id text,
    runtime_state jsonb not null,
    generation bigint not null check (generation >= 0),
    version bigint not null check (version >= 1),
    created_at timestamptz not null,
    last_seen_at timestamptz,
    last_used_at timestamptz not null,
    deleted_at timestamptz,
    check ((status = 'deleted') = (deleted_at is not null)),
    check (status <> 'provisioned' or (external_id is not null and last_seen_at is not null))
);

create unique index sandboxes_live_alias on sandboxes (agent_uid, alias) where status <> 'deleted';
-- Lists go through live rows in order of id, however many deleted ones lie between.
create index sandboxes_live on sandboxes (id) where status <> 'deleted';
-- Machines that deleted rows have left behind.
create index sandboxes_left_behind on sandboxes (id) where status = 'deleted' and external_id is not null;

create table leases (
    sandbox_id uuid not null primary key references sandboxes (id),
    gateway uuid not null,
    expires_at timestamptz not null
);

-- One row for each command: either a shell's text or an argument list.
create table execs (
    id uuid not null primary key,
    sandbox_id uuid not null references sandboxes (id),
    gateway uuid not null,
    caller text not null,
    command text,
    argv jsonb,
    cwd text not null,
    timeout_ms bigint,
    background boolean not null,
    max_output_bytes integer not null,
    idempotency_key text,
    request_sha256 text,
    generation bigint not null,
    created_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz,
    end_reason text,
    exit_code integer,
    signal integer,
    timed_out boolean not null,
    duration_ns bigint,
    failure_code text,
    failure_detail text,
    stdout_bytes bigint not null,
    stderr_bytes bigint not null,
    notes jsonb not null,
    check ((command is null) <> (argv is null)),
    check ((idempotency_key is null) = (request_sha256 is null)),
    check ((ended_at is null) = (end_reason is null) and (ended_at is null) = (duration_ns is null)),
    check ((failure_code is null) = (failure_detail is null))
);

create index execs_of_sandbox on execs (sandbox_id, id);
create unique index execs_idempotency on execs (sandbox_id, caller, idempotency_key) where idempotency_key is not null;
create index execs_open on execs (gateway) where ended_at is null;
create index execs_ended on execs (ended_at) where ended_at is not null;

-- Apart from the row, so that lists of commands do not drag the output along.
create table exec_output (
    exec_id uuid not null primary key references execs (id) on delete cascade,
    stdout bytea not null,
    stderr bytea not null
);
