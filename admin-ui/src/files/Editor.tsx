import { Alert, Button, Group, Modal, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { address, call, request } from "../api/client";
import type { FileEntry } from "../api/types";
import { useReadOnly } from "../app/me";
import { COSTLY, isDenied } from "../app/queries";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Loaded } from "../parts/parts";
import { Shown } from "../parts/shown";
import { toastFailure } from "../parts/toasts";
import type { Place } from "./place";
import { upload } from "./upload";

/** In bytes. Larger files are downloaded. */
export const MOST_EDITED = 512 << 10;

/** - `seen`: as the file was listed, at the same time or before it is read. */
export function Editor({ place, seen, onClose }: { place: Place; seen: FileEntry; onClose: () => void }) {
  const file = seen.path;
  const ask = useAsk();
  const [touched, setTouched] = useState(false);
  const [asking, setAsking] = useState(false);
  const close = async () => {
    if (!touched) return onClose();
    setAsking(true);
    const sure = await ask({
      title: "Leave without saving?",
      text: "What you have typed here is lost then.",
      verb: "Leave",
    });
    setAsking(false);
    if (sure) onClose();
  };
  const content = useQuery({
    queryKey: ["file", place, file],
    queryFn: async ({ signal }) => {
      const url = address("/api/agents/{id}/sandboxes/{alias}/files", place, { path: file });
      const bytes = await (await request(url, { signal })).arrayBuffer();
      try {
        const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
        return { text: text.includes("\0") ? undefined : text };
      } catch {
        return { text: undefined };
      }
    },
    gcTime: 0,
    staleTime: Infinity,
    ...COSTLY,
  });
  return (
    <Modal
      opened
      onClose={() => void close()}
      closeOnEscape={!asking}
      trapFocus={!asking}
      size="xl"
      title={<Shown text={file} />}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Loaded query={content}>
        {({ text }) =>
          text === undefined ? (
            <Alert color="orange" title="This is no text">
              It can be downloaded, and replaced by an upload.
            </Alert>
          ) : (
            <Text
              place={place}
              seen={seen}
              text={text}
              onTouched={setTouched}
              onSaved={onClose}
              onClose={() => void close()}
            />
          )
        }
      </Loaded>
    </Modal>
  );
}

function Text({
  place,
  seen,
  text,
  onTouched,
  onSaved,
  onClose,
}: {
  place: Place;
  seen: FileEntry;
  text: string;
  onTouched: (touched: boolean) => void;
  onSaved: () => void;
  onClose: () => void;
}) {
  const file = seen.path;
  // A text area knows line feeds only; what the file has at its line ends is put back.
  const crlf = text.includes("\r\n") && !/[^\r]\n/.test(text);
  const mixed = !crlf && text.includes("\r");
  const given = crlf ? text.replaceAll("\r\n", "\n") : text;
  const [draft, setDraft] = useState(given);
  const ask = useAsk();
  const readOnly = useReadOnly();
  const client = useQueryClient();
  const save = useAction(
    () => {
      const body = new Blob([crlf ? draft.replaceAll("\n", "\r\n") : draft]);
      return upload(place, file, body, () => undefined, new AbortController().signal);
    },
    {
      changes: [["files"]],
      done: () => {
        client.removeQueries({ queryKey: ["file", place, file] });
        onSaved();
        return "The file is saved";
      },
    },
  );
  const look = useAction(
    () => call("GET /api/agents/{id}/sandboxes/{alias}/files/stat", { path: place, query: { path: file } }),
    {
      changes: [],
      failed: (failure) => {
        // It has been deleted meanwhile: saving makes it anew.
        if (isDenied(failure)) save.mutate(undefined);
        else toastFailure(failure);
      },
      quiet: true,
    },
  );
  const saveUnlessChanged = () =>
    look.mutate(undefined, {
      onSuccess: async (now) => {
        const changed = now.modified_at !== seen.modified_at || now.size !== seen.size;
        const sure =
          !changed ||
          (await ask({
            title: "Save over what somebody else has changed?",
            text: "The file is not as it was when you opened it. If you save, what has been changed since is lost.",
            verb: "Save mine",
          }));
        if (sure) save.mutate(undefined);
      },
    });
  return (
    <>
      {mixed && (
        <Alert color="orange" mb="sm">
          This file has carriage returns within it, which an edit here would lose. Use a terminal to change
          it.
        </Alert>
      )}
      <Textarea
        aria-label="Content"
        className="mono-input"
        autosize
        minRows={12}
        maxRows={30}
        value={draft}
        onChange={(event) => {
          setDraft(event.currentTarget.value);
          onTouched(event.currentTarget.value !== given);
        }}
        spellCheck={false}
        readOnly={mixed || readOnly !== undefined}
        data-autofocus
      />
      <Group justify="flex-end" mt="sm">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          onClick={saveUnlessChanged}
          loading={look.isPending || save.isPending}
          disabled={mixed || readOnly !== undefined}
        >
          Save
        </Button>
      </Group>
    </>
  );
}
