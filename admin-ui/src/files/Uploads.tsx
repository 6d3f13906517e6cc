import { Button, Group, Progress, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type DragEvent, type ReactNode } from "react";
import { Shown, visible } from "../parts/shown";
import { advice, toast } from "../parts/toasts";
import { within, type Place } from "./place";
import { upload } from "./upload";

interface Upload {
  name: string;
  part: number;
  failure?: string;
  stop: () => void;
}

/** Around the list: takes files that are dropped on it, or chosen, and shows how far they have come. */
export function Uploads({
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
