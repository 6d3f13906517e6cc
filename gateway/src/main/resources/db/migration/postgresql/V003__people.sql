create table users (
    id uuid not null primary key,
    name text not null,
    created_at timestamptz not null,
    deleted_at timestamptz
);

-- Who somebody is on a channel. At most one person each.
create table identities (
    channel text collate "C" not null,
    channel_user_id text collate "C" not null,
    user_id uuid not null references users (id),
    display_name text,
    created_at timestamptz not null,
    primary key (channel, channel_user_id)
);

create index identities_of_user on identities (user_id);

create table memberships (
    agent_uid uuid not null references agents (uid),
    user_id uuid not null references users (id),
    role text not null check (role in ('guest', 'user', 'owner')),
    created_at timestamptz not null,
    primary key (agent_uid, user_id)
);

create index memberships_of_user on memberships (user_id);

-- Of a token only its digest is kept, in hex.
create table tokens (
    id uuid not null primary key,
    sha256 text not null,
    kind text not null check (kind in ('user', 'channel', 'agent')),
    user_id uuid references users (id),
    channel text,
    agent_uid uuid references agents (uid),
    name text not null,
    hint text not null,
    scope text not null check (scope in ('full', 'read')),
    created_at timestamptz not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    check ((kind = 'user') = (user_id is not null)),
    check ((kind = 'channel') = (channel is not null)),
    check ((kind = 'agent') = (agent_uid is not null))
);

create unique index tokens_sha256 on tokens (sha256);
create index tokens_of_user on tokens (user_id) where revoked_at is null;

-- A browser that has logged in. Without a token it is the admin's, for as long as the admin token has this digest.
create table logins (
    sha256 text not null primary key,
    token_id uuid references tokens (id),
    admin_sha256 text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    check ((token_id is null) <> (admin_sha256 is null))
);

create index logins_expiry on logins (expires_at);

-- What a page may open once, without its cookie or a token in the address.
create table tickets (
    sha256 text not null primary key,
    token_id uuid references tokens (id),
    admin_sha256 text,
    path text not null,
    expires_at timestamptz not null,
    check ((token_id is null) <> (admin_sha256 is null))
);

create index tickets_expiry on tickets (expires_at);
