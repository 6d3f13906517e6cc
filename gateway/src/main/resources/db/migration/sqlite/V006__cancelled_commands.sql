-- When somebody has asked for the end of a session's command. The gateway that watches the command sees to it.
alter table session_execs add column cancelled_at timestamp;

create index session_execs_of_session on session_execs (session_id);
