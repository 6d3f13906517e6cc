-- Only output that there is, with its size and its age, so that a quota can be kept without reading it.
alter table exec_output add column bytes bigint;
alter table exec_output add column ended_at timestamptz;

delete from exec_output where length(stdout) + length(stderr) = 0;
update exec_output o
set bytes = length(o.stdout) + length(o.stderr), ended_at = e.ended_at
from execs e where e.id = o.exec_id;

alter table exec_output alter column bytes set not null;
alter table exec_output alter column ended_at set not null;

create index exec_output_oldest on exec_output (ended_at, bytes);
