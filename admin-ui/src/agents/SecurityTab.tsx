import {
  Alert,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "../api/client";
import type { PutSecurity, Security } from "../api/types";
import { useReadOnly } from "../app/me";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useDraft } from "../parts/draft";
import { Overtaken } from "../parts/Overtaken";
import { Loaded } from "../parts/parts";
import { ACCESS } from "./CreateAgent";

const TOOLS: Security["require_approval_for"] = [
  "exec",
  "exec_background",
  "exec_status",
  "exec_cancel",
  "terminal",
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
];
const AUTONOMY = {
  readonly: "Runs and writes nothing",
  supervised: "Asks a person first, for the tools below",
  full: "Never asks",
};

export function SecurityTab({ id }: { id: string }) {
  const policy = useQuery({
    queryKey: ["agents", id, "security"],
    queryFn: ({ signal }) => call("GET /api/agents/{id}/security", { path: { id }, signal }),
  });
  return <Loaded query={policy}>{(found) => <Editor id={id} policy={found} />}</Loaded>;
}

/** The policy is replaced as a whole, and only if all of it is right. The access token goes in and never comes out. */
function Editor({ id, policy }: { id: string; policy: Security }) {
  const { access_token_set: tokenSet, ...given } = policy;
  const {
    draft: wanted,
    set: setWanted,
    overtaken,
    drop,
    saved,
  } = useDraft<PutSecurity>(given, JSON.stringify(policy));
  const [view, setView] = useState("Form");
  const [text, setText] = useState("");
  const [badJson, setBadJson] = useState<string>();
  const readOnly = useReadOnly();
  const save = useAction(
    (body: PutSecurity) => call("PUT /api/agents/{id}/security", { path: { id }, body }),
    {
      changes: [["agents", id]],
      done: (_, { access_token: _secret, ...kept }) => {
        saved(kept);
        setText(JSON.stringify(kept, null, 2));
        return "The policy is in force";
      },
      quiet: true,
    },
  );
  const look = (next: string) => {
    if (next === "JSON") setText(JSON.stringify(wanted, null, 2));
    else if (!take()) return;
    setView(next);
  };
  /** What the JSON says; undefined where it is none. */
  const read = (): PutSecurity | undefined => {
    try {
      setBadJson(undefined);
      return JSON.parse(text) as PutSecurity;
    } catch (failure) {
      setBadJson((failure as Error).message);
      return undefined;
    }
  };
  const take = (): boolean => {
    const parsed = read();
    if (parsed) setWanted({ ...parsed, require_approval_for: parsed.require_approval_for ?? [] });
    return parsed !== undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = view === "JSON" ? read() : wanted;
    if (body) save.mutate(body);
  };
  const set = (change: Partial<PutSecurity>) => setWanted({ ...wanted, ...change });
  const fields =
    view === "JSON"
      ? []
      : ["access", "autonomy_level", "require_approval_for", "guests_may_run", "access_token"];
  const others = otherErrors(save.error, fields);
  return (
    <form onSubmit={submit} noValidate className="panel narrow">
      <Stack gap="md">
        <SegmentedControl
          aria-label="How to edit"
          data={["Form", "JSON"]}
          value={view}
          onChange={look}
          size="xs"
          className="editor-choice"
        />
        <Overtaken
          by={overtaken}
          drop={() => {
            drop();
            setText(JSON.stringify(given, null, 2));
          }}
        />
        {others && (
          <Alert color="red" role="alert">
            {others}
          </Alert>
        )}
        {view === "JSON" ? (
          <Textarea
            label="Policy"
            description="access_token: absent leaves it as it is, null removes it"
            className="mono-input"
            autosize
            minRows={10}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={badJson}
            spellCheck={false}
          />
        ) : (
          <>
            <NativeSelect
              label="Access"
              description={ACCESS[wanted.access]}
              value={wanted.access}
              onChange={(event) => set({ access: event.currentTarget.value as Security["access"] })}
              error={fieldError(save.error, "access")}
              data={Object.keys(ACCESS)}
            />
            <AccessToken
              isSet={tokenSet}
              value={wanted.access_token}
              onChange={(token) => {
                const { access_token: _, ...rest } = wanted;
                setWanted(token === undefined ? rest : { ...rest, access_token: token });
              }}
              error={fieldError(save.error, "access_token")}
            />
            <NativeSelect
              label="Autonomy"
              description={AUTONOMY[wanted.autonomy_level]}
              value={wanted.autonomy_level}
              onChange={(event) =>
                set({ autonomy_level: event.currentTarget.value as Security["autonomy_level"] })
              }
              error={fieldError(save.error, "autonomy_level")}
              data={Object.keys(AUTONOMY)}
            />
            <Checkbox.Group
              label="Ask a person before"
              description="exec covers every way of running a command"
              value={wanted.require_approval_for}
              onChange={(tools) => set({ require_approval_for: tools as Security["require_approval_for"] })}
              error={fieldError(save.error, "require_approval_for")}
            >
              <Group mt="xs" gap="sm">
                {TOOLS.map((tool) => (
                  <Checkbox
                    key={tool}
                    value={tool}
                    label={tool}
                    size="xs"
                    disabled={wanted.autonomy_level !== "supervised"}
                  />
                ))}
              </Group>
            </Checkbox.Group>
            <Switch
              label="Guests may run and write, too"
              checked={wanted.guests_may_run ?? false}
              onChange={(event) => set({ guests_may_run: event.currentTarget.checked })}
              error={fieldError(save.error, "guests_may_run")}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={readOnly !== undefined} title={readOnly}>
            Save policy
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function AccessToken({
  isSet,
  value,
  onChange,
  error,
}: {
  isSet: boolean;
  value: string | null | undefined;
  onChange: (value: string | null | undefined) => void;
  error: string | undefined;
}) {
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label="Access token"
        description={
          value === null
            ? "Will be removed"
            : isSet
              ? "One is set, and is never shown. Leave empty to keep it."
              : "None is set: nobody can join by themselves"
        }
        value={value ?? ""}
        onChange={(event) =>
          onChange(event.currentTarget.value === "" ? undefined : event.currentTarget.value)
        }
        error={error}
        autoComplete="off"
        spellCheck={false}
        className="grow"
      />
      {isSet && (
        <Button variant="default" size="sm" onClick={() => onChange(value === null ? undefined : null)}>
          {value === null ? "Keep it" : "Remove it"}
        </Button>
      )}
    </Group>
  );
}
