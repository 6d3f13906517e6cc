import { Button, Table } from "@mantine/core";
import { useState } from "react";
import { address, call } from "../api/client";
import type { FileEntry } from "../api/types";
import { useReadOnly } from "../app/me";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Ago, bytes } from "../parts/parts";
import { Shown } from "../parts/shown";
import { MOST_EDITED } from "./Editor";
import { NameDialog } from "./NameDialog";
import type { Place } from "./place";

/** Names that the API takes no path with: shown, and left alone. */
function addressable(name: string): boolean {
  return !/[\u0000-\u001f\u007f\\\ufffd]/.test(name);
}

export function FileRow({ place, entry, open }: { place: Place; entry: FileEntry; open: () => void }) {
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
