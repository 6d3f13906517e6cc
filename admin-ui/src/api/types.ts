// Generated from openapi.json by scripts/types.mjs; not edited by hand.

/** Why a request was refused or failed (RFC 9457). */
export type Problem = {
  /** A URN made of the code. */
  type: string;
  title: string;
  status: number;
  /** For people. */
  detail: string;
  /** What programs branch on. */
  code:
    | "invalid"
    | "cwd_not_found"
    | "unauthenticated"
    | "forbidden"
    | "join_required"
    | "not_found"
    | "conflict"
    | "no_sandbox"
    | "busy"
    | "name_taken"
    | "other_host"
    | "already_decided"
    | "too_large"
    | "unsupported_media"
    | "wrong_host"
    | "unsupported"
    | "missing_credential"
    | "rate_limited"
    | "internal"
    | "not_available"
    | "provider_error"
    | "backend_unavailable";
  /** The fields that are wrong; empty where it is not about fields. */
  errors: FieldError[];
};

export type FieldError = {
  /** As in `config.memory_limit`; empty for the whole document. */
  path: string;
  message: string;
};

export type Agent = {
  /** The name by which it is addressed. */
  id: string;
  /** Never used again, also when the id is. */
  uid: string;
  name: string;
  created_at: string;
  updated_at: string;
};

export type CreateAgent = {
  id: string;
  name?: string;
  /** The name of a preset; null for no sandbox; absent for `auto_provision_sandbox`. */
  sandbox?: string | null;
  config?: AgentConfig;
  /** The policy of a new agent; what is silent takes the default. */
  security?: NewSecurity;
};

/** When the machine is brought up and shut down; silent fields take the next value of sandbox, agent, default. */
export type Lifecycle = {
  start?: "ondemand" | "session";
  stop?: "idle" | "session";
  idle_timeout_minutes?: number;
};

export type AgentConfig = {
  exec?: {
    /** When the machine is brought up and shut down; silent fields take the next value of sandbox, agent, default. */
    lifecycle?: Lifecycle;
  };
  /** The name of one of the operator's models, which answers messages. Silent: nobody answers. */
  model?: string;
  /** What the model is told. */
  instructions?: {
    /** Who the agent is, and what it is there for. */
    identity?: string;
    /** What it must and must not do. */
    rules?: string;
  };
};

export type Security = {
  access: "public" | "protected" | "private";
  autonomy_level: "readonly" | "supervised" | "full";
  /** Tools that ask a person first under `supervised`. `exec` covers every way of running a command. */
  require_approval_for: (
    | "exec"
    | "exec_background"
    | "exec_status"
    | "exec_cancel"
    | "terminal"
    | "read_file"
    | "write_file"
    | "edit_file"
    | "list_files"
  )[];
  /** Whether guests may run code at all. */
  guests_may_run: boolean;
  /** Whether there is an access token; it is never shown. */
  access_token_set: boolean;
};

/** The policy of a new agent; what is silent takes the default. */
export type NewSecurity = {
  access?: "public" | "protected" | "private";
  autonomy_level?: "readonly" | "supervised" | "full";
  /** Tools that ask a person first under `supervised`. `exec` covers every way of running a command. */
  require_approval_for?: (
    | "exec"
    | "exec_background"
    | "exec_status"
    | "exec_cancel"
    | "terminal"
    | "read_file"
    | "write_file"
    | "edit_file"
    | "list_files"
  )[];
  guests_may_run?: boolean;
  access_token?: string;
};

/** A whole policy that takes the place of the old one. */
export type PutSecurity = {
  access: "public" | "protected" | "private";
  autonomy_level: "readonly" | "supervised" | "full";
  /** Tools that ask a person first under `supervised`. `exec` covers every way of running a command. */
  require_approval_for: (
    | "exec"
    | "exec_background"
    | "exec_status"
    | "exec_cancel"
    | "terminal"
    | "read_file"
    | "write_file"
    | "edit_file"
    | "list_files"
  )[];
  /** Absent means false. */
  guests_may_run?: boolean;
  /** Absent leaves it as it is, null removes it. */
  access_token?: string | null;
};

export type SandboxPresets = {
  presets: Record<string, Preset>;
  /** The preset that a new agent gets unless it says otherwise. */
  auto_provision_sandbox: string | null;
};

export type Preset = {
  type: "docker" | "e2b" | "daytona" | "tenki";
  /** A closed object of its own for each type; see the page of the backend. */
  config: Record<string, unknown>;
};

export type SkillPage = {
  items: Skill[];
  /** All are told at once. */
  next_cursor: null;
};

export type Skill = {
  name: string;
  /** What it is for and when to use it. */
  description: string;
  /** SHA-256 in hex of all its files. */
  digest: string;
  files: number;
  bytes: number;
  scanned_at: string;
  /** For the agent that was asked about, for every agent, or for neither. */
  enabled: "none" | "agent" | "all";
};

export type SkillScan = {
  added: string[];
  changed: string[];
  removed: string[];
  refused: RefusedSkill[];
};

export type RefusedSkill = {
  folder: string;
  message: string;
};

export type Leftovers = {
  items: Leftover[];
  /** All are told at once. */
  next_cursor: null;
  /** Providers that could not be asked. What only they know is missing. */
  unreachable: UnreachableProvider[];
};

export type UnreachableProvider = {
  type: "docker" | "e2b" | "daytona" | "tenki";
  detail: string;
};

export type Leftover = {
  /** The sandbox that it was made for. */
  sandbox_id: string;
  agent_id: string | null;
  alias: string | null;
  type: "docker" | "e2b" | "daytona" | "tenki";
  /** How the provider calls the machine. */
  external_id: string;
  /** What the provider says of it; null if it could not be asked. */
  state: "absent" | "starting" | "running" | "paused" | "stopping" | "stopped" | "error" | "unknown" | null;
  detail: string;
  created_at: string | null;
  /** When the sandbox was deleted; null if it lives on with another machine. */
  deleted_at: string | null;
};

export type Sandbox = {
  id: string;
  agent_id: string;
  alias: string;
  type: "docker" | "e2b" | "daytona" | "tenki";
  /** As it was given, without defaults. */
  config: Record<string, unknown>;
  status: "pending" | "provisioned" | "deleted";
  /** How the provider calls the machine. */
  external_id: string | null;
  /** The last successful ensure. */
  last_seen_at: string | null;
  /** How many machines the row has had. */
  generation: number;
  created_at: string;
  /** What is in force. */
  lifecycle: EffectiveLifecycle;
  capabilities: ("stdin" | "signals" | "terminal" | "files" | "reattach" | "memory_proof")[];
  runtime: Runtime | null;
};

/** What is in force. */
export type EffectiveLifecycle = {
  start: "ondemand" | "session";
  stop: "idle" | "session";
  idle_timeout_minutes: number;
  /** Where each field comes from. */
  origin: LifecycleOrigin;
};

/** Where each field comes from. */
export type LifecycleOrigin = {
  start: "sandbox" | "agent" | "default";
  stop: "sandbox" | "agent" | "default";
  idle_timeout_minutes: "sandbox" | "agent" | "default";
};

/** The machine's live state, asked from the provider. */
export type Runtime = {
  state: "absent" | "starting" | "running" | "paused" | "stopping" | "stopped" | "error" | "unknown";
  detail: string;
  observed_at: string;
};

/** A type with a config, or a preset. */
export type AddSandbox =
  | {
      type: "docker" | "e2b" | "daytona" | "tenki";
      alias?: string;
      /** A closed object of its own for each type; see the page of the backend. */
      config?: Record<string, unknown>;
    }
  | {
      preset: string;
      alias?: string;
    };

export type PatchSandbox = {
  /** Takes the place of the whole old config. */
  config: Record<string, unknown>;
};

export type SandboxAction = {
  sandbox: Sandbox;
  /** What had to be done, e.g. that the machine had to be made anew. */
  notes: string[];
};

export type StartExec = {
  /** Text for `sh -c`, up to 1 MiB. Give this or `argv`. */
  command?: string;
  /** An exact argument list, no shell in between. */
  argv?: string[];
  /** Absolute, or relative to the agent home, which is the default. */
  cwd?: string;
  env?: Record<string, string>;
  /** Up to 8 MiB; empty and closed where absent. */
  stdin?: string;
  stdin_encoding?: "utf8" | "base64";
  /** Keeps stdin open for `…/stdin`. */
  stdin_open?: boolean;
  /** The command's budget. */
  timeout_ms?: number;
  /** How much of each stream's beginning the answer holds. */
  max_output_bytes?: number;
  /** How output travels: as text with replacement characters, or as exact bytes. */
  encoding?: "utf8" | "base64";
  /** Asks for a fresh login environment. */
  login?: boolean;
  /** Answers 202 at once. */
  background?: boolean;
  /** For streamed answers: a reader that goes away cancels the command. */
  cancel_on_disconnect?: boolean;
  /** The same request with the same key within 24 h is the same command. */
  idempotency_key?: string;
};

export type ExecSummary = {
  exec_id: string;
  state: "starting" | "running" | "ended";
  caller: string;
  command: string | null;
  argv: string[] | null;
  cwd: string;
  background: boolean;
  /** In force; null: no deadline. */
  timeout_ms: number | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** null while it runs, or where nobody can know it. */
  exit_code: number | null;
  /** `gateway_restarted`: what became of it, or whether it began at all, is not known. `not_started`: it certainly never ran. */
  end_reason:
    | "exited"
    | "signaled"
    | "timed_out"
    | "cancelled"
    | "oom_killed"
    | "sandbox_lost"
    | "transport_lost"
    | "gateway_restarted"
    | "not_started";
  /** As in `SIGKILL`. */
  signal: string | null;
  timed_out: boolean;
  duration_ms: number | null;
  /** All that it has printed, once it has ended. */
  stdout_bytes: number;
  stderr_bytes: number;
  sandbox_generation: number;
  notes: string[];
  /** Whether it has a PTY; its output is all stdout then. */
  terminal: boolean;
  error: ExecFailure | null;
};

export type ExecFailure = {
  code: string;
  detail: string;
};

export type ExecResult = {
  exec_id: string;
  state: "starting" | "running" | "ended";
  caller: string;
  command: string | null;
  argv: string[] | null;
  cwd: string;
  background: boolean;
  /** In force; null: no deadline. */
  timeout_ms: number | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** null while it runs, or where nobody can know it. */
  exit_code: number | null;
  /** `gateway_restarted`: what became of it, or whether it began at all, is not known. `not_started`: it certainly never ran. */
  end_reason:
    | "exited"
    | "signaled"
    | "timed_out"
    | "cancelled"
    | "oom_killed"
    | "sandbox_lost"
    | "transport_lost"
    | "gateway_restarted"
    | "not_started";
  /** As in `SIGKILL`. */
  signal: string | null;
  timed_out: boolean;
  duration_ms: number | null;
  /** All that it has printed, once it has ended. */
  stdout_bytes: number;
  stderr_bytes: number;
  sandbox_generation: number;
  notes: string[];
  /** Whether it has a PTY; its output is all stdout then. */
  terminal: boolean;
  error: ExecFailure | null;
  encoding: "utf8" | "base64";
  stdout: string;
  stderr: string;
  /** Where in the stream `stdout` begins, in bytes. */
  stdout_offset: number;
  stderr_offset: number;
  /** Where the next piece would begin. */
  stdout_next_offset: number;
  stderr_next_offset: number;
  stdout_truncated: boolean;
  stderr_truncated: boolean;
  /** How many bytes of the stream lie behind `stdout`. */
  stdout_dropped_bytes: number;
  stderr_dropped_bytes: number;
};

/** Data of the events `stdout` and `stderr`. */
export type ExecOutput = {
  data: string;
  encoding: "utf8" | "base64";
  /** Of the first byte in its stream. */
  offset: number;
};

/** Data of the event `notice`. */
export type ExecNotice = {
  message: string;
};

/** Data of the event `resync`: output is not held any more. */
export type ExecResync = {
  stream: "stdout" | "stderr";
  /** Where what follows begins. */
  offset: number;
};

export type WriteStdin = {
  data?: string;
  encoding?: "utf8" | "base64";
  /** Nothing follows. */
  close?: boolean;
};

export type SendSignal = {
  /** By name, `TERM` or `SIGTERM`, or number. */
  signal: string | number;
};

export type Session = {
  session_id: string;
  agent_id: string;
  /** `user:ID`, `agent:UID` or `admin`. */
  owner: string;
  user_id: string | null;
  /** The one that vouched for the owner. */
  channel: string | null;
  source: Record<string, unknown>;
  metadata: Record<string, unknown>;
  state: "open" | "ended";
  /** The number of its newest event; 0 while there is none. */
  last_event_id: number;
  created_at: string;
  last_active_at: string;
  ended_at: string | null;
  /** `requested` or `idle`. */
  end_reason: string | null;
};

export type OpenSession = {
  /** An earlier session that is opened again. */
  session_id?: string;
  source?: SessionSource;
  sender?: Sender;
  metadata?: Record<string, string>;
};

export type SessionSource = {
  kind?: string;
  platform?: string;
  interactive?: boolean;
};

export type Sender = {
  /** The channel of the token. */
  channel: string;
  channel_user_id: string;
  display_name?: string;
};

export type SessionEvent = {
  /** Its number: 1 for the first, without gaps. */
  id: number;
  type:
    | "user_message"
    | "text_delta"
    | "text_final"
    | "tool_call"
    | "tool_output"
    | "tool_result"
    | "approval_required"
    | "approval_decided"
    | "turn_end"
    | "error"
    | "notice";
  at: string;
  /** By the type; `author` is who did it. */
  data: Record<string, unknown>;
};

export type PostMessage = {
  text: string;
  sender?: Sender;
  /** Whether to wait for the answer. True where `wait_ms` is given. */
  wait?: boolean;
  /** How long at most. */
  wait_ms?: number;
};

export type Turn = {
  id: string;
  /** The number of the message's event. */
  message_id: number;
  /** Who has written the message, and as whom tools are called. */
  author: string;
  state: "queued" | "running" | "ended";
  reason: "done" | "cancelled" | "error" | "max_steps" | "max_time" | "interrupted" | null;
  /** What there is to say beyond the reason. */
  detail: string | null;
  /** What the model has said last. */
  text: string;
  /** How often the model has answered. */
  steps: number;
  usage: TokenUsage;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

export type TokenUsage = {
  input_tokens: number;
  output_tokens: number;
};

export type Models = {
  models: Record<string, Model>;
};

export type Model = {
  provider: "anthropic" | "openai_compatible";
  /** What the provider calls it. */
  model: string;
  context_tokens: number;
  max_output_tokens: number;
};

/** A message of JSON-RPC 2.0 with the methods of the Model Context Protocol. */
export type McpMessage = {
  jsonrpc: "2.0";
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: Record<string, unknown>;
};

export type ToolArguments = {
  sandbox?: string;
  wait_ms?: number;
  sender?: Sender;
};

export type CancelledSession = {
  /** Turns that are being ended. */
  turn_ids: string[];
  /** Commands that are being ended. */
  exec_ids: string[];
  approval_ids: string[];
};

export type ToolAnswer = {
  call_id: string;
  tool: string;
  state: "pending" | "approved" | "executing" | "done" | "denied" | "expired" | "cancelled" | "unknown";
  approval_id: string | null;
  reason: string | null;
  /** By the tool; `error {code, detail}` if an approved call has failed. */
  result: Record<string, unknown> | null;
};

export type Approval = {
  id: string;
  agent_id: string;
  session_id: string;
  /** The same in the session's events. */
  call_id: string;
  tool: string;
  /** `user:ID`, `agent:UID` or `admin`. */
  requester: string;
  sandbox_id: string;
  /** Of the machine that it is meant for; 0 for the first one. */
  sandbox_generation: number;
  /** What will run, as it was given; of variables the names and a digest of the values. */
  call: Record<string, unknown>;
  /** The command or path in one line, with all that a screen would hide or reorder written out as `⟦U+202E⟧`. */
  shown: string;
  state: "pending" | "approved" | "executing" | "done" | "denied" | "expired" | "cancelled" | "unknown";
  /** Of a command: under which it runs, if it is approved. */
  exec_id: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  /** `hermit` where nobody decided. */
  decided_by: string | null;
  reason: string | null;
  result: Record<string, unknown> | null;
  finished_at: string | null;
};

export type DecideApproval = {
  decision: "approve" | "deny";
  remember?: "once" | "session" | "always";
  reason?: string;
};

export type ApprovalRule = {
  id: string;
  agent_id: string;
  sandbox_id: string;
  /** The only session in which it counts; null for all. */
  session_id: string | null;
  requester: string;
  call: Record<string, unknown>;
  shown: string;
  /** Who remembered it. */
  author: string;
  created_at: string;
  expires_at: string;
  uses: number;
  last_used_at: string | null;
};

export type SessionPage = {
  items: Session[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type SessionEventPage = {
  items: SessionEvent[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type ApprovalPage = {
  items: Approval[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type ApprovalRulePage = {
  items: ApprovalRule[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type FileEntry = {
  /** Absolute. Bytes that are no UTF-8 are shown as U+FFFD. */
  path: string;
  /** The last part of the path. */
  name: string;
  type: "file" | "directory" | "link" | "pipe" | "socket" | "char_device" | "block_device";
  /** Bytes. */
  size: number;
  /** Permission bits in octal. */
  mode: string;
  uid: number;
  gid: number;
  modified_at: string;
  /** Where a link points. */
  target: string | null;
};

export type FilePage = {
  items: FileEntry[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type Unpacked = {
  refused: RefusedEntry[];
  /** More than are listed where there are very many. */
  refused_count: number;
};

export type RefusedEntry = {
  name: string;
  /** `absolute`, `parent`, `link`, `hard_link`, `device`, `set_id`, `type`, `name`, `not_a_directory` or `is_a_directory`. */
  reason: string;
};

export type MakeDirectory = {
  path: string;
};

export type MoveFile = {
  from: string;
  to: string;
};

export type Terminal = {
  /** The same as `exec_id`: a terminal is a command with a PTY. */
  id: string;
  cols: number;
  rows: number;
  /** How many look at it through this gateway. */
  viewers: number;
  exec_id: string;
  state: "starting" | "running" | "ended";
  caller: string;
  command: string | null;
  argv: string[] | null;
  cwd: string;
  background: boolean;
  /** In force; null: no deadline. */
  timeout_ms: number | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** null while it runs, or where nobody can know it. */
  exit_code: number | null;
  end_reason:
    | "exited"
    | "signaled"
    | "timed_out"
    | "cancelled"
    | "oom_killed"
    | "sandbox_lost"
    | "transport_lost"
    | "gateway_restarted"
    | "not_started";
  /** As in `SIGKILL`. */
  signal: string | null;
  timed_out: boolean;
  duration_ms: number | null;
  /** All that it has printed, once it has ended. */
  stdout_bytes: number;
  stderr_bytes: number;
  sandbox_generation: number;
  notes: string[];
  /** Whether it has a PTY; its output is all stdout then. */
  terminal: boolean;
  error: ExecFailure | null;
};

export type OpenTerminal = {
  cols?: number;
  rows?: number;
  /** Text for `sh -c`; the user's own login shell where neither this nor `argv` is given. */
  command?: string;
  argv?: string[];
  /** Absolute, or relative to the agent home, which is the default. */
  cwd?: string;
  env?: Record<string, string>;
};

export type TerminalPage = {
  items: Terminal[];
  next_cursor: string | null;
};

export type Health = {
  status: "ok";
};

export type Readiness = {
  status: "ready" | "degraded" | "unavailable";
  database: ReadinessPart;
  backends: Record<string, ReadinessPart>;
};

export type ReadinessPart = {
  state: "up" | "down" | "not_configured";
  /** For admins only. */
  detail: string | null;
};

/** Who somebody is on a channel. At most one person each. */
export type Identity = {
  channel: string;
  channel_user_id: string;
  /** How the channel shows them; proves nothing. */
  display_name?: string | null;
};

/** A person. */
export type User = {
  id: string;
  name: string;
  identities: Identity[];
  created_at: string;
};

export type CreateUser = {
  name: string;
};

export type MergeUser = {
  into: string;
};

export type Member = {
  /** A person. */
  user: User;
  role: "owner" | "user" | "guest";
  since: string;
};

export type OwnRole = {
  /** The admin is an owner everywhere. */
  role: "owner" | "user" | "guest";
};

/** Either `access_token`, or `role` with `user_id`, or `role` with `channel` and `channel_user_id`. */
export type AddMember = {
  access_token?: string;
  user_id?: string;
  channel?: string;
  channel_user_id?: string;
  display_name?: string | null;
  role?: "owner" | "user" | "guest";
};

export type ChangeMember = {
  role: "owner" | "user" | "guest";
};

/** A token without its secret. */
export type Token = {
  id: string;
  kind: "user" | "channel" | "agent";
  user_id: string | null;
  channel: string | null;
  agent_uid: string | null;
  name: string;
  /** The last four characters of the secret. */
  hint: string;
  scope: "full" | "read";
  created_at: string;
  expires_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
};

export type IssueToken = {
  name: string;
  user_id?: string;
  channel?: string;
  agent_id?: string;
  /** `read`: it changes nothing; only for a person's token. */
  scope?: "full" | "read";
  /** Without it the token lasts until it is revoked. */
  expires_in_days?: number;
};

export type IssuedToken = {
  /** `hut_`, `hct_` or `hgt_` by kind, and 256 random bits. */
  secret: string;
  id: string;
  kind: "user" | "channel" | "agent";
  user_id: string | null;
  channel: string | null;
  agent_uid: string | null;
  name: string;
  /** The last four characters of the secret. */
  hint: string;
  scope: "full" | "read";
  created_at: string;
  expires_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
};

export type LogIn = {
  token: string;
};

export type Me = {
  kind: "admin" | "user" | "channel" | "agent";
  /** How records name the caller. */
  caller: string;
  user: User | null;
  channel: string | null;
  agent_uid: string | null;
  /** The token changes nothing. */
  read_only: boolean;
  /** Whether this gateway lets such callers make agents. */
  creates_agents: boolean;
};

export type IssueTicket = {
  path: string;
};

export type Ticket = {
  ticket: string;
  expires_at: string;
};

export type MemberPage = {
  items: Member[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type UserPage = {
  items: User[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type TokenPage = {
  items: Token[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

/** One link of a gateway's chain. docs/access.md says how its digest is made. */
export type AuditRecord = {
  /** Whose chain it is. */
  gateway: string;
  /** Without gaps. */
  number: number;
  at: string;
  who: string;
  /** Empty for what the gateway did by itself. */
  address: string;
  action: string;
  agent_uid: string | null;
  target: string;
  /** `ok`, the code of a problem, or how a command ended. */
  result: string;
  request_id: string;
  details: Record<string, string>;
  previous_sha256: string;
  sha256: string;
};

export type AuditEnd = {
  end: true;
  records: number;
};

export type AuditVerification = {
  state: "intact" | "broken";
  chains: VerifiedChain[];
};

export type VerifiedChain = {
  gateway: string;
  records: number;
  first_broken: number | null;
};

export type AuditPage = {
  items: AuditRecord[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type AgentPage = {
  items: Agent[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type SandboxPage = {
  items: Sandbox[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

export type ExecPage = {
  items: ExecSummary[];
  /** Give it back as `cursor` for the next page; null at the end. */
  next_cursor: string | null;
};

type Nothing = Record<never, never>;

/** By method and path. */
export interface Operations {
  "GET /health": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Health;
  };
  "GET /ready": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Readiness;
  };
  "GET /metrics": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: string;
  };
  "GET /openapi.json": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Record<string, unknown>;
  };
  "GET /api/agents": {
    path: Nothing;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: AgentPage;
  };
  "POST /api/agents": {
    path: Nothing;
    query: Nothing;
    body: CreateAgent;
    answer: Agent;
  };
  "GET /api/agents/{id}": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: Agent;
  };
  "DELETE /api/agents/{id}": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "GET /api/agents/{id}/config": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: AgentConfig;
  };
  "PUT /api/agents/{id}/config": {
    path: { id: string };
    query: Nothing;
    body: AgentConfig;
    answer: AgentConfig;
  };
  "GET /api/agents/{id}/security": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: Security;
  };
  "PUT /api/agents/{id}/security": {
    path: { id: string };
    query: Nothing;
    body: PutSecurity;
    answer: Security;
  };
  "GET /api/agents/{id}/me": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: OwnRole;
  };
  "GET /api/agents/{id}/members": {
    path: { id: string };
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: MemberPage;
  };
  "POST /api/agents/{id}/members": {
    path: { id: string };
    query: Nothing;
    body: AddMember;
    answer: Member;
  };
  "PUT /api/agents/{id}/members/{user_id}": {
    path: { id: string; user_id: string };
    query: Nothing;
    body: ChangeMember;
    answer: Member;
  };
  "DELETE /api/agents/{id}/members/{user_id}": {
    path: { id: string; user_id: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "GET /api/users": {
    path: Nothing;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: UserPage;
  };
  "POST /api/users": {
    path: Nothing;
    query: Nothing;
    body: CreateUser;
    answer: User;
  };
  "GET /api/users/{user_id}": {
    path: { user_id: string };
    query: Nothing;
    body: undefined;
    answer: User;
  };
  "DELETE /api/users/{user_id}": {
    path: { user_id: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "POST /api/users/{user_id}/identities": {
    path: { user_id: string };
    query: Nothing;
    body: Identity;
    answer: User;
  };
  "DELETE /api/users/{user_id}/identities": {
    path: { user_id: string };
    query: { channel: string; channel_user_id: string };
    body: undefined;
    answer: User;
  };
  "POST /api/users/{user_id}/merge": {
    path: { user_id: string };
    query: Nothing;
    body: MergeUser;
    answer: User;
  };
  "GET /api/tokens": {
    path: Nothing;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: TokenPage;
  };
  "POST /api/tokens": {
    path: Nothing;
    query: Nothing;
    body: IssueToken;
    answer: IssuedToken;
  };
  "DELETE /api/tokens/{token_id}": {
    path: { token_id: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "POST /api/auth/login": {
    path: Nothing;
    query: Nothing;
    body: LogIn;
    answer: Me;
  };
  "POST /api/auth/logout": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "POST /api/auth/ticket": {
    path: Nothing;
    query: Nothing;
    body: IssueTicket;
    answer: Ticket;
  };
  "GET /api/me": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Me;
  };
  "GET /api/agents/{id}/sessions": {
    path: { id: string };
    query: { limit?: number; cursor?: string; channel?: string; channel_user_id?: string };
    body: undefined;
    answer: SessionPage;
  };
  "POST /api/agents/{id}/sessions": {
    path: { id: string };
    query: Nothing;
    body: OpenSession;
    answer: Session;
  };
  "GET /api/agents/{id}/sessions/{sid}": {
    path: { id: string; sid: string };
    query: { channel?: string; channel_user_id?: string };
    body: undefined;
    answer: Session;
  };
  "DELETE /api/agents/{id}/sessions/{sid}": {
    path: { id: string; sid: string };
    query: { channel?: string; channel_user_id?: string };
    body: undefined;
    answer: undefined;
  };
  "POST /api/agents/{id}/sessions/{sid}/end": {
    path: { id: string; sid: string };
    query: { channel?: string; channel_user_id?: string };
    body: undefined;
    answer: Session;
  };
  "POST /api/agents/{id}/sessions/{sid}/cancel": {
    path: { id: string; sid: string };
    query: { channel?: string; channel_user_id?: string };
    body: undefined;
    answer: CancelledSession;
  };
  "GET /api/agents/{id}/sessions/{sid}/messages": {
    path: { id: string; sid: string };
    query: { limit?: number; cursor?: string; channel?: string; channel_user_id?: string };
    body: undefined;
    answer: SessionEventPage;
  };
  "POST /api/agents/{id}/sessions/{sid}/messages": {
    path: { id: string; sid: string };
    query: Nothing;
    body: PostMessage;
    answer: Turn | string | SessionEvent | Turn;
  };
  "GET /api/agents/{id}/sessions/{sid}/turns/{turn_id}": {
    path: { id: string; sid: string; turn_id: string };
    query: { wait_ms?: number; channel?: string; channel_user_id?: string };
    body: undefined;
    answer: Turn;
  };
  "GET /api/agents/{id}/sessions/{sid}/events": {
    path: { id: string; sid: string };
    query: { after?: number; ticket?: string; channel?: string; channel_user_id?: string };
    body: undefined;
    answer: string;
  };
  "POST /api/agents/{id}/sessions/{sid}/tools/{tool}": {
    path: {
      id: string;
      sid: string;
      tool:
        | "exec"
        | "exec_background"
        | "exec_status"
        | "exec_cancel"
        | "read_file"
        | "write_file"
        | "edit_file"
        | "list_files";
    };
    query: Nothing;
    body: ToolArguments;
    answer: ToolAnswer;
  };
  "GET /api/agents/{id}/mcp": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: string;
  };
  "POST /api/agents/{id}/mcp": {
    path: { id: string };
    query: Nothing;
    body: McpMessage;
    answer: McpMessage | string | undefined;
  };
  "DELETE /api/agents/{id}/mcp": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "GET /api/approvals": {
    path: Nothing;
    query: {
      state?: "pending" | "approved" | "executing" | "done" | "denied" | "expired" | "cancelled" | "unknown";
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: ApprovalPage;
  };
  "GET /api/agents/{id}/approvals": {
    path: { id: string };
    query: {
      state?: "pending" | "approved" | "executing" | "done" | "denied" | "expired" | "cancelled" | "unknown";
      limit?: number;
      cursor?: string;
    };
    body: undefined;
    answer: ApprovalPage;
  };
  "GET /api/approvals/events": {
    path: Nothing;
    query: { ticket?: string };
    body: undefined;
    answer: string;
  };
  "GET /api/approvals/{approval_id}": {
    path: { approval_id: string };
    query: Nothing;
    body: undefined;
    answer: Approval;
  };
  "POST /api/approvals/{approval_id}/decision": {
    path: { approval_id: string };
    query: Nothing;
    body: DecideApproval;
    answer: Approval;
  };
  "GET /api/approval-rules": {
    path: Nothing;
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: ApprovalRulePage;
  };
  "DELETE /api/approval-rules/{rule_id}": {
    path: { rule_id: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "GET /api/audit": {
    path: Nothing;
    query: {
      limit?: number;
      cursor?: string;
      agent?: string;
      user?: string;
      action?: string;
      since?: string;
      until?: string;
    };
    body: undefined;
    answer: AuditPage;
  };
  "GET /api/audit/export": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: string;
  };
  "GET /api/audit/verify": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: AuditVerification;
  };
  "GET /api/agents/{id}/audit": {
    path: { id: string };
    query: {
      limit?: number;
      cursor?: string;
      user?: string;
      action?: string;
      since?: string;
      until?: string;
    };
    body: undefined;
    answer: AuditPage;
  };
  "GET /api/models": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Models;
  };
  "GET /api/sandbox-presets": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: SandboxPresets;
  };
  "GET /api/sandboxes": {
    path: Nothing;
    query: {
      limit?: number;
      cursor?: string;
      type?: "docker" | "e2b" | "daytona" | "tenki";
      status?: "pending" | "provisioned" | "deleted";
      agent?: string;
    };
    body: undefined;
    answer: SandboxPage;
  };
  "GET /api/agents/{id}/sandboxes": {
    path: { id: string };
    query: { limit?: number; cursor?: string };
    body: undefined;
    answer: SandboxPage;
  };
  "POST /api/agents/{id}/sandboxes": {
    path: { id: string };
    query: Nothing;
    body: AddSandbox;
    answer: Sandbox;
  };
  "GET /api/sandboxes/leftovers": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: Leftovers;
  };
  "POST /api/sandboxes/{uuid}/reclaim": {
    path: { uuid: string };
    query: Nothing;
    body: undefined;
    answer: Leftovers;
  };
  "GET /api/skills": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: SkillPage;
  };
  "POST /api/skills/scan": {
    path: Nothing;
    query: Nothing;
    body: undefined;
    answer: SkillScan;
  };
  "POST /api/skills/{skill}/enable": {
    path: { skill: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "POST /api/skills/{skill}/disable": {
    path: { skill: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "GET /api/agents/{id}/skills": {
    path: { id: string };
    query: Nothing;
    body: undefined;
    answer: SkillPage;
  };
  "POST /api/agents/{id}/skills/{skill}/enable": {
    path: { id: string; skill: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "POST /api/agents/{id}/skills/{skill}/disable": {
    path: { id: string; skill: string };
    query: Nothing;
    body: undefined;
    answer: undefined;
  };
  "GET /api/agents/{id}/sandboxes/{alias}": {
    path: { id: string; alias: string };
    query: Nothing;
    body: undefined;
    answer: Sandbox;
  };
  "PATCH /api/agents/{id}/sandboxes/{alias}": {
    path: { id: string; alias: string };
    query: Nothing;
    body: PatchSandbox;
    answer: Sandbox;
  };
  "DELETE /api/agents/{id}/sandboxes/{alias}": {
    path: { id: string; alias: string };
    query: { destroy?: boolean };
    body: undefined;
    answer: undefined;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/start": {
    path: { id: string; alias: string };
    query: Nothing;
    body: undefined;
    answer: SandboxAction;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/stop": {
    path: { id: string; alias: string };
    query: { force?: boolean };
    body: undefined;
    answer: SandboxAction;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/execs": {
    path: { id: string; alias: string };
    query: { limit?: number; cursor?: string; open?: boolean };
    body: undefined;
    answer: ExecPage;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/execs": {
    path: { id: string; alias: string };
    query: Nothing;
    body: StartExec;
    answer: ExecResult | string | ExecResult;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}": {
    path: { id: string; alias: string; exec_id: string };
    query: { stdout_offset?: number; stderr_offset?: number; wait_ms?: number; encoding?: "utf8" | "base64" };
    body: undefined;
    answer: ExecResult;
  };
  "DELETE /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}": {
    path: { id: string; alias: string; exec_id: string };
    query: Nothing;
    body: undefined;
    answer: ExecSummary;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/events": {
    path: { id: string; alias: string; exec_id: string };
    query: { ticket?: string; encoding?: "utf8" | "base64" };
    body: undefined;
    answer: string;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/stdin": {
    path: { id: string; alias: string; exec_id: string };
    query: Nothing;
    body: WriteStdin;
    answer: undefined;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/signal": {
    path: { id: string; alias: string; exec_id: string };
    query: Nothing;
    body: SendSignal;
    answer: undefined;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/files": {
    path: { id: string; alias: string };
    query: { path: string };
    body: undefined;
    answer: string;
  };
  "PUT /api/agents/{id}/sandboxes/{alias}/files": {
    path: { id: string; alias: string };
    query: { path: string };
    body: string;
    answer: FileEntry;
  };
  "DELETE /api/agents/{id}/sandboxes/{alias}/files": {
    path: { id: string; alias: string };
    query: { path: string; recursive?: boolean };
    body: undefined;
    answer: undefined;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/files/list": {
    path: { id: string; alias: string };
    query: { path: string; limit?: number; cursor?: string };
    body: undefined;
    answer: FilePage;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/files/stat": {
    path: { id: string; alias: string };
    query: { path: string };
    body: undefined;
    answer: FileEntry;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/files/archive": {
    path: { id: string; alias: string };
    query: { path: string };
    body: undefined;
    answer: string;
  };
  "PUT /api/agents/{id}/sandboxes/{alias}/files/archive": {
    path: { id: string; alias: string };
    query: { path: string };
    body: string;
    answer: Unpacked;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/files/mkdir": {
    path: { id: string; alias: string };
    query: Nothing;
    body: MakeDirectory;
    answer: FileEntry;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/files/move": {
    path: { id: string; alias: string };
    query: Nothing;
    body: MoveFile;
    answer: FileEntry;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/terminals": {
    path: { id: string; alias: string };
    query: Nothing;
    body: undefined;
    answer: TerminalPage;
  };
  "POST /api/agents/{id}/sandboxes/{alias}/terminals": {
    path: { id: string; alias: string };
    query: Nothing;
    body: OpenTerminal;
    answer: Terminal;
  };
  "GET /api/agents/{id}/sandboxes/{alias}/terminals/{tid}": {
    path: { id: string; alias: string; tid: string };
    query: Nothing;
    body: undefined;
    answer: Terminal;
  };
  "DELETE /api/agents/{id}/sandboxes/{alias}/terminals/{tid}": {
    path: { id: string; alias: string; tid: string };
    query: Nothing;
    body: undefined;
    answer: Terminal;
  };
}
