-- When somebody has asked for a command's end, by itself or with its session. Whichever gateway watches it sees to that, also
-- after a restart. `session_execs.cancelled_at` keeps from beginning what has no row here yet.
alter table execs add column cancelled_at timestamptz;

update execs set cancelled_at = (select cancelled_at from session_execs where exec_id = execs.id) where ended_at is null;

create index execs_cancelled on execs (gateway) where ended_at is null and cancelled_at is not null;
