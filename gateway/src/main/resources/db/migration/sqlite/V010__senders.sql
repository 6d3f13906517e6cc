-- Whom the channel vouched for when the session was opened. Only for whom it still knows so, it may go on speaking.
alter table sessions add column channel_user_id text;

update sessions set channel_user_id = (
    select min(identities.channel_user_id)
    from identities
    where identities.user_id = sessions.user_id and identities.channel = sessions.channel)
where channel is not null;

update sessions set channel = null where channel_user_id is null;
