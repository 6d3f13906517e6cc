import { Anchor, Button, Code, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "../api/client";
import { advice } from "../parts/toasts";
import { forgetAll } from "./queries";

/** Exchanges a token for a cookie that no script can read. The address stays, and is shown after it. */
export function Login() {
  const [token, setToken] = useState("");
  const client = useQueryClient();
  const login = useMutation({
    mutationFn: () => call("POST /api/auth/login", { body: { token: token.trim() } }),
    onSuccess: (me) => {
      forgetAll(client);
      client.setQueryData(["me"], me);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate();
  };
  return (
    <main className="alone">
      <Paper withBorder p="xl" maw={420} component="form" onSubmit={submit}>
        <Stack gap="md">
          <Title order={1} className="brand">
            Hermit
          </Title>
          <PasswordInput
            label="Token"
            description="The admin's, or one that the admin has made for you"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={login.error && advice(login.error)}
            autoComplete="current-password"
            spellCheck={false}
            data-autofocus
            autoFocus
            required
          />
          <Button type="submit" size="sm" loading={login.isPending} disabled={token.trim() === ""}>
            Log in
          </Button>
          <Text size="xs" className="dim">
            The gateway has left the admin token at its first start in <Code>$HERMIT_HOME/admin-token</Code>,
            usually below <Code>~/.hermit</Code>. The token is kept in no address and by no script; the login
            ends after 12 hours.{" "}
            <Anchor href="/openapi.json" size="xs" underline="always">
              The API
            </Anchor>{" "}
            can do all that these pages can.
          </Text>
        </Stack>
      </Paper>
    </main>
  );
}
