-- A terminal is a command with a PTY: the size that it was made with. Both are null for every other command.
alter table execs add column terminal_cols integer;
alter table execs add column terminal_rows integer;
