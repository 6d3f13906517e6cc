-- A ticket that a browser's login has asked for stands for that login and ends with it. Tickets last 30 seconds, so those
-- that are there are not worth keeping.
drop table tickets;

create table tickets (
    sha256 text not null primary key,
    token_id uuid references tokens (id),
    admin_sha256 text,
    login_sha256 text,
    path text not null,
    expires_at timestamptz not null,
    check (
        (case when token_id is null then 0 else 1 end)
        + (case when admin_sha256 is null then 0 else 1 end)
        + (case when login_sha256 is null then 0 else 1 end) = 1
    )
);

create index tickets_expiry on tickets (expires_at);
