-- The answer to one message: which gateway gives it, until when it may be taken for alive, and how it ended. A state is only
-- left by compare-and-set. `cancelled_at`: somebody wants its end; the gateway that runs it sees to that.
create table turns (
    id uuid not null primary key,
    session_id uuid not null references sessions (id),
    message_seq bigint not null check (message_seq >= 1),
    author_kind text not null check (author_kind in ('user', 'agent', 'admin')),
    user_id uuid references users (id),
    state text not null check (state in ('queued', 'running', 'ended')),
    gateway uuid,
    lease_until timestamp,
    cancelled_at timestamp,
    created_at timestamp not null,
    started_at timestamp,
    ended_at timestamp,
    end_reason text,
    detail text,
    steps integer not null check (steps >= 0),
    input_tokens bigint not null check (input_tokens >= 0),
    output_tokens bigint not null check (output_tokens >= 0),
    check ((author_kind = 'user') = (user_id is not null)),
    check (state <> 'running' or (gateway is not null and lease_until is not null and started_at is not null)),
    check ((state = 'ended') = (ended_at is not null) and (ended_at is null) = (end_reason is null))
);

create unique index turns_of_message on turns (session_id, message_seq);
create index turns_of_user on turns (user_id);
-- One at a time in a session.
create unique index turns_running on turns (session_id) where state = 'running';
create index turns_undone on turns (created_at) where state in ('queued', 'running');

-- What the model said at each step, what it wanted to be called, and what came of that: its memory of the conversation.
create table turn_steps (
    turn_id uuid not null references turns (id),
    step integer not null check (step >= 1),
    text text not null,
    calls jsonb not null check (json_valid(calls)),
    results jsonb not null check (json_valid(results)),
    created_at timestamp not null,
    primary key (turn_id, step)
);

create index approvals_of_session on approvals (session_id, call_id);
