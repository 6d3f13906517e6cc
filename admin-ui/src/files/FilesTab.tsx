import { Button, Group, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { address, all, call } from "../api/client";
import type { FileEntry, Sandbox } from "../api/types";
import { useReadOnly } from "../app/me";
import { COSTLY } from "../app/queries";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { Empty, Loaded } from "../parts/parts";
import { Shown } from "../parts/shown";
import { Editor } from "./Editor";
import { FileRow } from "./FileRow";
import { NameDialog } from "./NameDialog";
import { within, type Place } from "./place";
import { Uploads } from "./Uploads";

const HOME = ".";
const MOST_LISTED = 5_000;

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
                        <FileRow
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
