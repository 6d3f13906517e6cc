import { Alert, Button, Group, NativeSelect, NumberInput, Stack, Text, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent } from "react";
import { call, request, send } from "../api/client";
import { useReadOnly } from "../app/me";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useDraft } from "../parts/draft";
import { Overtaken } from "../parts/Overtaken";
import { Loaded } from "../parts/parts";

type Json = Record<string, unknown>;

/**
 * An agent's config is one document, kept and checked by the gateway. What has fields here is edited in fields, the rest
 * as JSON: so that it is all there, whatever the gateway's version knows.
 */
export function ConfigTab({ id }: { id: string }) {
  const config = useQuery({
    queryKey: ["agents", id, "config"],
    queryFn: async ({ signal }) => {
      const response = await send("GET /api/agents/{id}/config", { path: { id }, signal });
      return { etag: response.headers.get("ETag"), document: (await response.json()) as Json };
    },
  });
  return (
    <Loaded query={config}>
      {({ etag, document }) => <Editor id={id} etag={etag} text={JSON.stringify(document, null, 2)} />}
    </Loaded>
  );
}

function text(document: Json, key: string): string {
  const value = document[key];
  return typeof value === "string" ? value : "";
}

function object(document: Json, key: string): Json {
  const value = document[key];
  return value && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

/** The names, and the one that is chosen although it is offered no more. */
function offered(names: string[], chosen: string): string[] {
  return chosen === "" || names.includes(chosen) ? names : [...names, chosen];
}

/** A document with one value in another's place; without it where that is undefined. */
function put(document: Json, path: string[], value: unknown): Json {
  const [key, ...rest] = path as [string, ...string[]];
  const inner = rest.length === 0 ? value : put(object(document, key), rest, value);
  const { [key]: _, ...others } = document;
  const empty =
    inner === undefined || (rest.length > 0 && Object.keys(inner as Json).length === 0 && !(key in document));
  return empty ? others : { ...others, [key]: inner };
}

/** - `etag`, `text`: as the gateway has it now. */
function Editor({ id, etag, text: current }: { id: string; etag: string | null; text: string }) {
  const { draft, set: setDraft, base, overtaken, drop, saved } = useDraft(current, etag ?? "");
  const models = useQuery({
    queryKey: ["models"],
    queryFn: ({ signal }) => call("GET /api/models", { signal }),
  });
  const readOnly = useReadOnly();
  let parsed: Json | undefined;
  let mistake: string | undefined;
  try {
    parsed = JSON.parse(draft) as Json;
  } catch (failure) {
    mistake = (failure as Error).message;
  }
  const save = useAction(
    async (body: Json) =>
      request(`/api/agents/${encodeURIComponent(id)}/config`, {
        method: "PUT",
        headers: { "Content-Type": "application/json", ...(base ? { "If-Match": base } : {}) },
        body: JSON.stringify(body),
      }),
    {
      changes: [["agents", id], ["sandboxes"]],
      done: (_, kept) => {
        saved(JSON.stringify(kept, null, 2));
        return "The config is saved";
      },
      quiet: true,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (parsed) save.mutate(parsed);
  };
  const set = (path: string[], value: unknown) =>
    setDraft(JSON.stringify(put(parsed ?? {}, path, value), null, 2));
  const lifecycle = object(object(parsed ?? {}, "exec"), "lifecycle");
  const fields = [
    "exec.lifecycle.start",
    "exec.lifecycle.stop",
    "exec.lifecycle.idle_timeout_minutes",
    "model",
    "instructions",
  ];
  const others = otherErrors(save.error, fields);
  return (
    <form onSubmit={submit} noValidate className="columns">
      <Stack gap="sm" className="panel">
        <NativeSelect
          label="Model"
          description="Of those that the operator offers. With one, the agent answers what is said in its sessions."
          value={text(parsed ?? {}, "model")}
          onChange={(event) => set(["model"], event.currentTarget.value || undefined)}
          error={fieldError(save.error, "model")}
          disabled={!parsed}
          data={[
            { value: "", label: "none: messages are kept, and nobody answers" },
            ...offered(Object.keys(models.data?.models ?? {}), text(parsed ?? {}, "model")),
          ]}
        />
        <Textarea
          label="Instructions"
          description="What the model is told before every conversation"
          autosize
          minRows={4}
          maxRows={16}
          value={text(parsed ?? {}, "instructions")}
          onChange={(event) => set(["instructions"], event.currentTarget.value || undefined)}
          error={fieldError(save.error, "instructions")}
          disabled={!parsed}
        />
        <NativeSelect
          label="Machines start"
          value={text(lifecycle, "start")}
          onChange={(event) => set(["exec", "lifecycle", "start"], event.currentTarget.value || undefined)}
          error={fieldError(save.error, "exec.lifecycle.start")}
          disabled={!parsed}
          data={[
            { value: "", label: "by default: when a command needs them" },
            { value: "ondemand", label: "ondemand: when a command needs them" },
            { value: "session", label: "session: when a session opens" },
          ]}
        />
        <NativeSelect
          label="Machines stop"
          value={text(lifecycle, "stop")}
          onChange={(event) => set(["exec", "lifecycle", "stop"], event.currentTarget.value || undefined)}
          error={fieldError(save.error, "exec.lifecycle.stop")}
          disabled={!parsed}
          data={[
            { value: "", label: "by default: when idle" },
            { value: "idle", label: "idle: some time after they were used" },
            { value: "session", label: "session: when the last session ends" },
          ]}
        />
        <NumberInput
          label="Idle timeout in minutes"
          placeholder="5, the default"
          value={(lifecycle.idle_timeout_minutes as number | undefined) ?? ""}
          onChange={(value) =>
            set(["exec", "lifecycle", "idle_timeout_minutes"], value === "" ? undefined : Number(value))
          }
          error={fieldError(save.error, "exec.lifecycle.idle_timeout_minutes")}
          disabled={!parsed}
        />
        <Text size="xs" className="dim">
          A sandbox may have a lifecycle of its own, which wins; its page shows what is in force and where
          that comes from.
        </Text>
      </Stack>
      <Stack gap="sm" className="panel">
        <Overtaken by={overtaken} drop={drop} />
        {others && (
          <Alert color="red" role="alert">
            {others}
          </Alert>
        )}
        <Textarea
          label="The whole config"
          description="As the gateway keeps it"
          className="mono-input"
          autosize
          minRows={14}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          error={mistake}
          spellCheck={false}
        />
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={save.isPending}
            disabled={!parsed || readOnly !== undefined}
            title={readOnly}
          >
            Save config
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
