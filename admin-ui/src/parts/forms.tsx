import { Alert, Button, Group, Modal, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";

/** A dialog that is there as long as it is open. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      {children}
    </Modal>
  );
}

/**
 * What is asked for in a dialog, and its buttons.
 *
 * - `failure`: what is wrong with none of the fields.
 * - `incomplete`: there is nothing yet that could be sent.
 */
export function DialogForm({
  verb,
  busy,
  failure,
  incomplete = false,
  onSubmit,
  onClose,
  children,
}: {
  verb: string;
  busy: boolean;
  failure?: string | undefined;
  incomplete?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!incomplete) onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {failure && (
          <Alert color="red" role="alert">
            {failure}
          </Alert>
        )}
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={incomplete}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
