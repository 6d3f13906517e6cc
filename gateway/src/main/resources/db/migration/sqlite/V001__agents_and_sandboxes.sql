create table probe (id uuid not null primary key, at timestamp not null, ok boolean not null, doc jsonb not null);
