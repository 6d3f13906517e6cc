import { Alert, Button, Switch, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Skill } from "../api/types";
import { useIsAdmin, useReadOnly } from "../app/me";
import { LATER } from "../app/queries";
import { useAction } from "../parts/actions";
import { bytes, Empty, Loaded, Page } from "../parts/parts";
import { Shown } from "../parts/shown";
import { toast } from "../parts/toasts";

/** What the operator offers. The admin switches skills on for all agents here, owners for theirs on its page. */
export function SkillsPage() {
  const admin = useIsAdmin();
  const skills = useQuery({
    queryKey: ["skills"],
    queryFn: ({ signal }) => call("GET /api/skills", { signal }),
    refetchInterval: LATER,
  });
  const scan = useAction(() => call("POST /api/skills/scan"), {
    changes: [["skills"]],
    done: (found) => {
      for (const each of found.refused) toast(`${each.folder} is refused: ${each.message}`, true);
      return `${found.added.length} added, ${found.changed.length} changed, ${found.removed.length} removed`;
    },
  });
  return (
    <Page
      title="Skills"
      actions={
        admin && (
          <Button variant="default" loading={scan.isPending} onClick={() => scan.mutate(undefined)}>
            Read the folders again
          </Button>
        )
      }
    >
      <Loaded query={skills}>
        {({ items }) => (
          <List
            skills={items}
            isOn={(skill) => skill.enabled === "all"}
            lockedBecause={() =>
              admin ? undefined : "The admin decides for all agents; owners on their agent's page"
            }
            toggle={(skill, on) =>
              call(on ? "POST /api/skills/{skill}/enable" : "POST /api/skills/{skill}/disable", {
                path: { skill },
              })
            }
            label="For all agents"
          />
        )}
      </Loaded>
    </Page>
  );
}

export function AgentSkills({ id }: { id: string }) {
  const skills = useQuery({
    queryKey: ["skills", id],
    queryFn: ({ signal }) => call("GET /api/agents/{id}/skills", { path: { id }, signal }),
    refetchInterval: LATER,
  });
  return (
    <Loaded query={skills}>
      {({ items }) => (
        <List
          skills={items}
          isOn={(skill) => skill.enabled !== "none"}
          lockedBecause={(skill) =>
            skill.enabled === "all" ? "The admin has enabled it for all agents" : undefined
          }
          toggle={(skill, on) =>
            call(
              on
                ? "POST /api/agents/{id}/skills/{skill}/enable"
                : "POST /api/agents/{id}/skills/{skill}/disable",
              { path: { id, skill } },
            )
          }
          label="For this agent"
        />
      )}
    </Loaded>
  );
}

function List({
  skills,
  isOn,
  lockedBecause,
  toggle,
  label,
}: {
  skills: Skill[];
  isOn: (skill: Skill) => boolean;
  lockedBecause: (skill: Skill) => string | undefined;
  toggle: (skill: string, on: boolean) => Promise<unknown>;
  label: string;
}) {
  const readOnly = useReadOnly();
  const change = useAction(({ skill, on }: { skill: string; on: boolean }) => toggle(skill, on), {
    changes: [["skills"]],
  });
  if (skills.length === 0)
    return (
      <Empty title="No skills">
        A skill is a folder with a SKILL.md. The operator puts them under skills/ in the gateway's home, and
        reads the folders again here.
      </Empty>
    );
  return (
    <>
      <Alert color="gray" mb="sm">
        What is on is found in .hermit/skills/ of the agent home, in each of the agent's sandboxes.
      </Alert>
      <div className="table-box" tabIndex={0} role="region" aria-label="Skills">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>What it is for</Table.Th>
              <Table.Th className="number">Files</Table.Th>
              <Table.Th className="number">Size</Table.Th>
              <Table.Th>{label}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {skills.map((each) => (
              <Table.Tr key={each.name}>
                <Table.Td className="mono">{each.name}</Table.Td>
                <Table.Td className="wrap">
                  <Shown text={each.description} />
                </Table.Td>
                <Table.Td className="number">{each.files}</Table.Td>
                <Table.Td className="number">{bytes(each.bytes)}</Table.Td>
                <Table.Td>
                  <Switch
                    aria-label={`${each.name}: ${label}`}
                    checked={isOn(each)}
                    disabled={readOnly !== undefined || lockedBecause(each) !== undefined || change.isPending}
                    title={readOnly ?? lockedBecause(each)}
                    onChange={(event) => change.mutate({ skill: each.name, on: event.currentTarget.checked })}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}
