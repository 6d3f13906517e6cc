import { Badge, Burger, Button, Group, Menu, NavLink, Text, useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { call, onReachable } from "../api/client";
import { usePending } from "../approvals/inbox";
import { useAction } from "../parts/actions";
import { visible } from "../parts/shown";
import { useIsAdmin, useMe, useReadOnly } from "./me";
import { forgetAll, refresh } from "./queries";

interface Place {
  name: string;
  to: string;
  admin?: boolean;
}

const PLACES: Place[] = [
  { name: "Agents", to: "/agents" },
  { name: "Sandboxes", to: "/sandboxes", admin: true },
  { name: "Approvals", to: "/approvals" },
  { name: "Skills", to: "/skills" },
  { name: "People", to: "/people", admin: true },
  { name: "Tokens", to: "/tokens" },
  { name: "Audit", to: "/audit", admin: true },
  { name: "System", to: "/system" },
];

/** What is around every page: where one can go, who one is, and whether the gateway answers. */
export function Shell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const admin = useIsAdmin();
  const pending = usePending();
  useEffect(() => setOpen(false), [pathname]);
  useTitle(pathname, pending);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        To the content
      </a>
      <header className="bar">
        <Burger
          opened={open}
          onClick={() => setOpen(!open)}
          className="burger"
          size="sm"
          aria-label="Menu"
          aria-expanded={open}
        />
        <Link to="/agents" className="brand">
          Hermit
        </Link>
        <Unreachable />
        <Group gap="xs" ml="auto" wrap="nowrap">
          <Account />
        </Group>
      </header>
      <nav className={open ? "side side-open" : "side"} aria-label="Main">
        {PLACES.filter((place) => admin || !place.admin).map((place) => (
          <NavLink
            key={place.to}
            component={Link}
            to={place.to}
            label={place.name}
            active={pathname === place.to || pathname.startsWith(`${place.to}/`)}
            aria-current={pathname === place.to ? "page" : undefined}
            rightSection={
              place.to === "/approvals" && pending > 0 ? (
                <Badge
                  size="sm"
                  color="yellow"
                  variant="filled"
                  autoContrast
                  aria-label={`${pending} pending`}
                >
                  {pending}
                </Badge>
              ) : undefined
            }
          />
        ))}
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

function useTitle(pathname: string, pending: number) {
  useEffect(() => {
    const where = pathname.split("/").filter(Boolean).slice(0, 4).join(" · ");
    document.title = `${pending > 0 ? `(${pending}) ` : ""}${where ? `${where} – ` : ""}Hermit`;
  }, [pathname, pending]);
}

function Account() {
  const me = useMe();
  const readOnly = useReadOnly();
  const client = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const logout = useAction(() => call("POST /api/auth/logout"), {
    changes: [],
    done: () => {
      forgetAll(client);
      client.setQueryData(["me"], null);
      return undefined;
    },
  });
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <Button variant="subtle" color="gray" className="account">
          {me.kind === "admin" ? "admin" : visible(me.user?.name ?? me.caller)}
          {readOnly && " (reads only)"}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Colours</Menu.Label>
        {(["auto", "light", "dark"] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? <Text size="xs">✓</Text> : undefined}
          >
            {scheme === "auto" ? "as the system" : scheme}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => logout.mutate(undefined)}>Log out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Asks until the gateway answers again; whatever is on the screen then comes up to date by itself. */
function Unreachable() {
  const [reachable, setReachable] = useState(true);
  const client = useQueryClient();
  useEffect(() => onReachable(setReachable), []);
  useEffect(() => {
    if (reachable) return;
    const timer = setInterval(() => {
      // Any answer will do; that it came is told to everybody.
      call("GET /health").then(
        () => refresh(client),
        () => undefined,
      );
    }, 1_000);
    return () => clearInterval(timer);
  }, [reachable, client]);
  if (reachable) return null;
  return (
    <Badge color="red" variant="filled" role="alert" className="state">
      The gateway does not answer; trying again
    </Badge>
  );
}
