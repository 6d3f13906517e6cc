import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, type ReactNode } from "react";
import { Navigate, Route, Routes, useLocation } from "react-router";
import { AgentPage } from "../agents/AgentPage";
import { AgentsPage } from "../agents/AgentsPage";
import { call, onSignedOut, Refusal } from "../api/client";
import { ApprovalsPage } from "../approvals/ApprovalsPage";
import { InboxProvider } from "../approvals/inbox";
import { RulesPage } from "../approvals/RulesPage";
import { AuditPage } from "../audit/AuditPage";
import { Boundary } from "../parts/Boundary";
import { Empty, Failure } from "../parts/parts";
import { PeoplePage } from "../people/PeoplePage";
import { TokensPage } from "../people/TokensPage";
import { SandboxPage } from "../sandboxes/SandboxPage";
import { SandboxesPage } from "../sandboxes/SandboxesPage";
import { SessionPage } from "../sessions/SessionPage";
import { SkillsPage } from "../skills/SkillsPage";
import { SystemPage } from "../system/SystemPage";
import { Login } from "./Login";
import { MeProvider, useIsAdmin } from "./me";
import { Shell } from "./Shell";

const TerminalPage = lazy(() => import("../terminal/TerminalPage"));

/** The addresses are the same as in the gateway's `UiRoutes`: others are no pages there. */
export function App() {
  const client = useQueryClient();
  const me = useQuery({
    queryKey: ["me"],
    queryFn: async ({ signal }) => {
      try {
        return await call("GET /api/me", { signal });
      } catch (failure) {
        if (failure instanceof Refusal && failure.status === 401) return null;
        throw failure;
      }
    },
    staleTime: Infinity,
  });
  useEffect(() => onSignedOut(() => client.setQueryData(["me"], null)), [client]);
  if (me.data === undefined) {
    return me.error ? (
      <main className="alone">
        <Failure error={me.error} retry={() => void me.refetch()} />
      </main>
    ) : (
      <main className="alone" aria-busy="true">
        {me.failureCount > 0 && (
          <p role="status">The gateway does not answer. This page asks again until it does.</p>
        )}
      </main>
    );
  }
  if (me.data === null) return <Login />;
  return (
    <MeProvider value={me.data}>
      <InboxProvider>
        <Shell>
          <Pages />
        </Shell>
      </InboxProvider>
    </MeProvider>
  );
}

function Pages() {
  return (
    <Boundary place={useLocation().pathname}>
      <Places />
    </Boundary>
  );
}

function Places() {
  return (
    <Suspense fallback={<div className="loading" aria-busy="true" />}>
      <Routes>
        <Route path="/" element={<Navigate to="/agents" replace />} />
        <Route path="/agents" element={<AgentsPage />} />
        <Route path="/agents/:id" element={<AgentPage />} />
        <Route path="/agents/:id/:tab" element={<AgentPage />} />
        <Route path="/agents/:id/sandboxes/:alias" element={<SandboxPage />} />
        <Route path="/agents/:id/sandboxes/:alias/:tab" element={<SandboxPage />} />
        <Route path="/agents/:id/sandboxes/:alias/terminals/:tid" element={<TerminalPage />} />
        <Route path="/agents/:id/sessions/:sid" element={<SessionPage />} />
        <Route
          path="/sandboxes"
          element={
            <ForAdmin>
              <SandboxesPage />
            </ForAdmin>
          }
        />
        <Route path="/approvals" element={<ApprovalsPage />} />
        <Route path="/approvals/rules" element={<RulesPage />} />
        <Route
          path="/people"
          element={
            <ForAdmin>
              <PeoplePage />
            </ForAdmin>
          }
        />
        <Route path="/tokens" element={<TokensPage />} />
        <Route path="/skills" element={<SkillsPage />} />
        <Route
          path="/audit"
          element={
            <ForAdmin>
              <AuditPage />
            </ForAdmin>
          }
        />
        <Route path="/system" element={<SystemPage />} />
        <Route path="*" element={<Empty title="There is no such page" />} />
      </Routes>
    </Suspense>
  );
}

function ForAdmin({ children }: { children: ReactNode }) {
  if (useIsAdmin()) return children;
  return (
    <Empty title="Only the admin sees this">
      It is about all agents. What concerns yours is on their own pages.
    </Empty>
  );
}
