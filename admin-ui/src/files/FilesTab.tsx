import { Button, Group, Modal, Progress, Stack, Table, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type DragEvent, type FormEvent, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { address, all, call } from "../api/client";
import type { FileEntry, Sandbox } from "../api/types";
import { useReadOnly } from "../app/me";
import { COSTLY } from "../app/queries";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Ago, bytes, Empty, Loaded } from "../parts/parts";
import { Shown, visible } from "../parts/shown";
import { advice, toast } from "../parts/toasts";
import { Editor, MOST_EDITED } from "./Editor";
import { upload } from "./upload";

type Place = { id: string; alias: string };

const HOME = ".";
const MOST_LISTED = 5_000;

function within(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** Names that the API takes no path with: shown, and left alone. */
function addressable(name: string): boolean {
  return !/[\u0000-\u001f\u007f\\\ufffd]/.test(name);
}

export function FilesTab({ sandbox }: { sandbox: Sandbox }) {
  const place = { id: sandbox.agent_id, alias: sandbox.alias };
  const [params, setParams] = useSearchParams();
  const home = typeof sandbox.config["agent_home"] === "string" ? sandbox.config["agent_home"] : HOME;
  const folder = params.get("folder") ?? home;
  const go = (to: string) => setParams({ folder: to });
  const [edited, setEdited] = useState<FileEntry>();
  const readOnly = useReadOnly();
  const running = sandbox.runtime?.state === "running";
  // Looking brings the machine up; that is for whoever looks to decide, each time anew.
  const [wanted, setWanted] = useState(false);
  if (running && wanted) setWanted(false);
  const files = useQuery({
    queryKey: ["files", sandbox.id, folder],
    queryFn: ({ signal }) =>
      all(
        "GET /api/agents/{id}/sandboxes/{alias}/files/list",
        { path: place, query: { path: folder }, signal },
        MOST_LISTED,
      ),
    enabled: wanted || running,
    staleTime: 2_000,
    ...COSTLY,
  });
  if (!wanted && !running)
    return (
      <Empty title="The machine does not run">
        Its files are read inside it, so looking at them starts it.
        <br />
        <Button mt="sm" onClick={() => setWanted(true)}>
          Start it and look
        </Button>
      </Empty>
    );
  return (
    <>
      <Group justify="space-between" mb="xs" gap="xs">
        <FolderPath folder={folder} home={home} go={go} />
        <Group gap="xs">
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => void files.refetch()}
            loading={files.isFetching}
          >
            Reload
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            component="a"
            href={address("/api/agents/{id}/sandboxes/{alias}/files/archive", place, { path: folder })}
            download
          >
            Download as tar
          </Button>
          <NewFolder place={place} folder={folder} />
        </Group>
      </Group>
      <Uploads place={place} folder={folder} disabled={readOnly !== undefined}>
        <Loaded query={files}>
          {({ items, more }) =>
            items.length === 0 ? (
              <Empty title="Nothing in here">Drop files to upload them.</Empty>
            ) : (
              <>
                <div className="table-box" tabIndex={0} role="region" aria-label="Files">
                  <Table highlightOnHover>
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th>Name</Table.Th>
                        <Table.Th className="number">Size</Table.Th>
                        <Table.Th>Mode</Table.Th>
                        <Table.Th>Changed</Table.Th>
                        <Table.Th>
                          <span className="dim">Actions</span>
                        </Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {items.map((each, index) => (
                        <Row
                          key={`${index} ${each.path}`}
                          place={place}
                          entry={each}
                          open={() => (each.type === "directory" ? go(each.path) : setEdited(each))}
                        />
                      ))}
                    </Table.Tbody>
                  </Table>
                </div>
                {more && <p className="dim">The first {items.length} are shown.</p>}
              </>
            )
          }
        </Loaded>
      </Uploads>
      {edited && <Editor place={place} seen={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}

function FolderPath({ folder, home, go }: { folder: string; home: string; go: (to: string) => void }) {
  const parts = folder.split("/").filter((each) => each && each !== ".");
  const absolute = folder.startsWith("/");
  const link = (name: ReactNode, to: string, key: string) => (
    <button type="button" className="link mono" key={key} onClick={() => go(to)}>
      {name}
    </button>
  );
  return (
    <nav aria-label="Folder" className="folder-path">
      {link("home", home, "home")}
      <span aria-hidden> · </span>
      {absolute && link("/", "/", "root")}
      {parts.map((name, index) => (
        <span key={index}>
          {link(
            <Shown text={name} />,
            (absolute ? "/" : "") + parts.slice(0, index + 1).join("/"),
            String(index),
          )}
          {index < parts.length - 1 && <span aria-hidden> / </span>}
        </span>
      ))}
    </nav>
  );
}

function Row({ place, entry, open }: { place: Place; entry: FileEntry; open: () => void }) {
  const ask = useAsk();
  const readOnly = useReadOnly() !== undefined;
  const [renaming, setRenaming] = useState(false);
  const good = addressable(entry.path);
  const folder = entry.type === "directory";
  const opens = good && (folder || (entry.type === "file" && entry.size <= MOST_EDITED));
  const remove = useAction(
    () =>
      call("DELETE /api/agents/{id}/sandboxes/{alias}/files", {
        path: place,
        query: { path: entry.path, ...(folder ? { recursive: true } : {}) },
      }),
    { changes: [["files"]], done: () => `${entry.name} is deleted` },
  );
  return (
    <Table.Tr>
      <Table.Td>
        {opens ? (
          <button type="button" className="link" onClick={open}>
            <Shown text={entry.name} />
            {folder && "/"}
          </button>
        ) : (
          <Shown text={entry.name} />
        )}
        {entry.target !== null && (
          <span className="dim">
            {" → "}
            <Shown text={entry.target} />
          </span>
        )}
      </Table.Td>
      <Table.Td className="number">{folder ? "—" : bytes(entry.size)}</Table.Td>
      <Table.Td className="mono">{entry.mode}</Table.Td>
      <Table.Td>
        <Ago at={entry.modified_at} />
      </Table.Td>
      <Table.Td>
        {good ? (
          <div className="row-actions">
            <Button
              size="compact-xs"
              variant="subtle"
              component="a"
              href={address(
                folder
                  ? "/api/agents/{id}/sandboxes/{alias}/files/archive"
                  : "/api/agents/{id}/sandboxes/{alias}/files",
                place,
                { path: entry.path },
              )}
              download
            >
              Download
            </Button>
            <Button size="compact-xs" variant="subtle" disabled={readOnly} onClick={() => setRenaming(true)}>
              Move
            </Button>
            <Button
              size="compact-xs"
              variant="subtle"
              color="red"
              disabled={readOnly}
              loading={remove.isPending}
              onClick={() =>
                void ask({
                  title: folder ? "Delete this folder?" : "Delete this file?",
                  text: (
                    <>
                      <span className="mono">
                        <Shown text={entry.path} />
                      </span>{" "}
                      {folder ? "and all that is in it is gone for good." : "is gone for good."}
                    </>
                  ),
                  verb: "Delete",
                }).then((sure) => sure && remove.mutate(undefined))
              }
            >
              Delete
            </Button>
          </div>
        ) : (
          <span className="dim">
            Its name has characters that no path of the API may have: use a terminal
          </span>
        )}
        {renaming && <Move place={place} entry={entry} onClose={() => setRenaming(false)} />}
      </Table.Td>
    </Table.Tr>
  );
}

function Move({ place, entry, onClose }: { place: Place; entry: FileEntry; onClose: () => void }) {
  const [to, setTo] = useState(entry.path);
  const move = useAction(
    () =>
      call("POST /api/agents/{id}/sandboxes/{alias}/files/move", {
        path: place,
        body: { from: entry.path, to },
      }),
    { changes: [["files"]], done: () => (onClose(), `Moved to ${to}`), quiet: true },
  );
  return (
    <NameDialog
      title="Move or rename"
      label="To"
      verb="Move"
      value={to}
      onChange={setTo}
      busy={move.isPending}
      error={fieldError(move.error, "to") ?? otherErrors(move.error, ["to"])}
      onSubmit={() => move.mutate(undefined)}
      onClose={onClose}
    />
  );
}

function NewFolder({ place, folder }: { place: Place; folder: string }) {
  const [open, setOpen] = useState(false);
  const [name, setName] = useState("");
  const readOnly = useReadOnly() !== undefined;
  const make = useAction(
    () =>
      call("POST /api/agents/{id}/sandboxes/{alias}/files/mkdir", {
        path: place,
        body: { path: within(folder, name) },
      }),
    {
      changes: [["files"]],
      done: () => {
        setOpen(false);
        setName("");
        return undefined;
      },
      quiet: true,
    },
  );
  return (
    <>
      <Button variant="default" size="compact-sm" disabled={readOnly} onClick={() => setOpen(true)}>
        New folder
      </Button>
      {open && (
        <NameDialog
          title="New folder"
          label="Name"
          verb="Make"
          value={name}
          onChange={setName}
          busy={make.isPending}
          error={fieldError(make.error, "path") ?? otherErrors(make.error, ["path"])}
          onSubmit={() => make.mutate(undefined)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function NameDialog(props: {
  title: string;
  label: string;
  verb: string;
  value: string;
  onChange: (value: string) => void;
  busy: boolean;
  error: string | undefined;
  onSubmit: () => void;
  onClose: () => void;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (props.value) props.onSubmit();
  };
  return (
    <Modal opened onClose={props.onClose} title={props.title} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <TextInput
          label={props.label}
          className="mono-input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
          error={props.error}
          data-autofocus
          spellCheck={false}
          autoComplete="off"
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={props.onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={props.busy} disabled={!props.value}>
            {props.verb}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

interface Upload {
  name: string;
  part: number;
  failure?: string;
  stop: () => void;
}

/** Around the list: takes files that are dropped on it, or chosen, and shows how far they have come. */
function Uploads({
  place,
  folder,
  disabled,
  children,
}: {
  place: Place;
  folder: string;
  disabled: boolean;
  children: ReactNode;
}) {
  const [over, setOver] = useState(false);
  const [uploads, setUploads] = useState<ReadonlyMap<number, Upload>>(new Map());
  const next = useRef(1);
  const chooser = useRef<HTMLInputElement>(null);
  const client = useQueryClient();
  const set = (key: number, change: (upload: Upload) => Upload | undefined) =>
    setUploads((before) => {
      const after = new Map(before);
      const changed = change(before.get(key)!);
      if (changed) after.set(key, changed);
      else after.delete(key);
      return after;
    });
  const send = async (files: File[]) => {
    for (const file of files) {
      const key = next.current++;
      const abort = new AbortController();
      set(key, () => ({ name: file.name, part: 0, stop: () => abort.abort() }));
      try {
        const onProgress = (part: number) => set(key, (upload) => ({ ...upload, part }));
        await upload(place, within(folder, file.name), file, onProgress, abort.signal);
        set(key, () => undefined);
        toast(`${file.name} is uploaded`);
      } catch (failure) {
        if (abort.signal.aborted) set(key, () => undefined);
        else
          set(key, (each) => ({ ...each, failure: advice(failure), stop: () => set(key, () => undefined) }));
      }
      void client.invalidateQueries({ queryKey: ["files"] });
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (disabled) return;
    // A folder comes as a file without content that cannot be read.
    const items = [...event.dataTransfer.items].filter((each) => each.kind === "file");
    const folders = items.some((each) => each.webkitGetAsEntry()?.isDirectory);
    if (folders)
      return toast("Folders cannot be dropped here: pack them as tar, or use hermit sandbox cp", true);
    void send([...event.dataTransfer.files]);
  };
  return (
    <Stack
      gap="xs"
      // All of it, the list too: a browser leaves the page for what is dropped beside.
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {!disabled && (
        <div className={over ? "drop drop-over" : "drop"} data-testid="drop">
          Drop files here, or{" "}
          <button type="button" className="link" onClick={() => chooser.current?.click()}>
            choose some
          </button>
          . They go into this folder, in place of those with the same name.
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label="Files to upload"
            onChange={(event) => {
              void send([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
        </div>
      )}
      {[...uploads].map(([key, each]) => (
        <div key={key} className="panel" role="status">
          <Group justify="space-between">
            <span>
              <Shown text={each.name} />
              {each.failure && (
                <span className="bad">
                  : <Shown text={each.failure} />
                </span>
              )}
            </span>
            <Button size="compact-xs" variant="subtle" onClick={each.stop}>
              {each.failure ? "Close" : "Stop"}
            </Button>
          </Group>
          {!each.failure && (
            <Progress value={each.part * 100} aria-label={`Upload of ${visible(each.name)}`} mt={4} />
          )}
        </div>
      ))}
      {children}
    </Stack>
  );
}
