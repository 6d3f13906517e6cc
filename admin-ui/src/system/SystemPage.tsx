import { Alert, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call, request } from "../api/client";
import { useIsAdmin } from "../app/me";
import { SOON } from "../app/queries";
import { Empty, Loaded, Page, Section, State } from "../parts/parts";
import { Shown } from "../parts/shown";
import { usePresets } from "../sandboxes/presets";
import { Charts } from "./Charts";

/** How the gateway is. Details and figures are for the admin. */
export function SystemPage() {
  const admin = useIsAdmin();
  const ready = useQuery({
    queryKey: ["ready"],
    queryFn: async ({ signal }) => {
      // 503 is an answer here, and no failure.
      const response = await fetch("/ready", { signal, cache: "no-store" });
      if (response.status !== 200 && response.status !== 503) await request("/ready", { signal });
      return (await response.json()) as Awaited<ReturnType<typeof readiness>>;
    },
    refetchInterval: SOON,
  });
  return (
    <Page title="System" actions={<span className="dim">Web UI {__VERSION__}</span>}>
      {admin && <Charts />}
      <div className="columns">
        <Section title="Readiness">
          <Loaded query={ready}>
            {(found) => (
              <div className="table-box" tabIndex={0} role="region" aria-label="Readiness">
                <Table>
                  <Table.Tbody>
                    <Part name="gateway" state={found.status} detail={null} />
                    <Part name="database" {...found.database} />
                    {Object.entries(found.backends).map(([name, part]) => (
                      <Part key={name} name={name} {...part} />
                    ))}
                  </Table.Tbody>
                </Table>
              </div>
            )}
          </Loaded>
          <Alert color="gray" mt="sm">
            A backend that is not configured has no key: its variables stand in the configuration's
            description. <span className="mono">hermit doctor</span>, on the gateway's machine, examines the
            rest.
          </Alert>
        </Section>
        <Presets />
      </div>
    </Page>
  );
}

function readiness() {
  return call("GET /ready");
}

function Part({ name, state, detail }: { name: string; state: string; detail: string | null }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      <Table.Td>
        <State state={state} />
      </Table.Td>
      <Table.Td className="wrap">{detail && <Shown text={detail} />}</Table.Td>
    </Table.Tr>
  );
}

function Presets() {
  const presets = usePresets();
  return (
    <Section title="Sandbox presets">
      <Loaded query={presets}>
        {({ presets: found, auto_provision_sandbox: auto }) =>
          Object.keys(found).length === 0 ? (
            <Empty title="No presets">
              The operator names them in gateway.json under sandboxPresets; agents are made with one of them.
            </Empty>
          ) : (
            <div className="cards">
              {Object.entries(found).map(([name, { type, config }]) => (
                <div className="card" key={name}>
                  <strong>{name}</strong> ({type})
                  {name === auto && <span className="dim"> · for new agents unless they say otherwise</span>}
                  <pre className="output">{JSON.stringify(config, null, 2)}</pre>
                </div>
              ))}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}
