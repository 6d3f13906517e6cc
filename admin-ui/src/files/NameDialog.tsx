import { TextInput } from "@mantine/core";
import { Dialog, DialogForm } from "../parts/forms";

/** Asks for a name or a path. */
export function NameDialog(props: {
  title: string;
  label: string;
  verb: string;
  value: string;
  onChange: (value: string) => void;
  busy: boolean;
  error: string | undefined;
  onSubmit: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <DialogForm
        verb={props.verb}
        busy={props.busy}
        incomplete={!props.value}
        onSubmit={props.onSubmit}
        onClose={props.onClose}
      >
        <TextInput
          label={props.label}
          className="mono-input"
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
          error={props.error}
          data-autofocus
          spellCheck={false}
          autoComplete="off"
        />
      </DialogForm>
    </Dialog>
  );
}
