import { Alert, Button, Group, Modal, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { address, request } from "../api/client";
import { useReadOnly } from "../app/me";
import { COSTLY } from "../app/queries";
import { useAction } from "../parts/actions";
import { Loaded } from "../parts/parts";
import { Shown } from "../parts/shown";
import { upload } from "./upload";

/** In bytes. Larger files are downloaded. */
export const MOST_EDITED = 512 << 10;

type Place = { id: string; alias: string };

export function Editor({ place, file, onClose }: { place: Place; file: string; onClose: () => void }) {
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
      onClose={onClose}
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
            <Text place={place} file={file} text={text} onClose={onClose} />
          )
        }
      </Loaded>
    </Modal>
  );
}

function Text({
  place,
  file,
  text,
  onClose,
}: {
  place: Place;
  file: string;
  text: string;
  onClose: () => void;
}) {
  // A text area knows line feeds only; what the file has at its line ends is put back.
  const crlf = text.includes("\r\n") && !/[^\r]\n/.test(text);
  const mixed = !crlf && text.includes("\r");
  const [draft, setDraft] = useState(crlf ? text.replaceAll("\r\n", "\n") : text);
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
        onClose();
        return "The file is saved";
      },
    },
  );
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
        onChange={(event) => setDraft(event.currentTarget.value)}
        spellCheck={false}
        readOnly={mixed || readOnly !== undefined}
        data-autofocus
      />
      <Group justify="flex-end" mt="sm">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button
          onClick={() => save.mutate(undefined)}
          loading={save.isPending}
          disabled={mixed || readOnly !== undefined}
        >
          Save
        </Button>
      </Group>
    </>
  );
}
