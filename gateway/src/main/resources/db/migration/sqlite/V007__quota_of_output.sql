-- Only output that there is, with its size and its age, so that a quota can be kept without reading it.
create table kept_output (
    exec_id uuid not null primary key references execs (id) on delete cascade,
    stdout blob not null,
    stderr blob not null,
    bytes bigint not null,
    ended_at timestamp not null
);

insert into kept_output (exec_id, stdout, stderr, bytes, ended_at)
select o.exec_id, o.stdout, o.stderr, length(o.stdout) + length(o.stderr), e.ended_at
from exec_output o join execs e on e.id = o.exec_id
where length(o.stdout) + length(o.stderr) > 0;

drop table exec_output;
alter table kept_output rename to exec_output;

create index exec_output_oldest on exec_output (ended_at, bytes);
