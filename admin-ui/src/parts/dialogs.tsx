import { Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";

interface Question {
  title: string;
  text: ReactNode;
  /** What the button says that does it. */
  verb: string;
  /** A further choice, e.g. to use force. */
  option?: string;
}

type Answer = { option: boolean } | undefined;
type Ask = (question: Question) => Promise<Answer>;

const Context = createContext<Ask>(() => Promise.resolve(undefined));

/** Asks before something that cannot be undone. Answers undefined if it is not wanted. */
export function useAsk(): Ask {
  return useContext(Context);
}

export function Dialogs({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<{ question: Question; answer: (answer: Answer) => void }>();
  const [option, setOption] = useState(false);
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((answer) => {
        setOption(false);
        setOpen({ question, answer });
      }),
    [],
  );
  const end = (answer: Answer) => {
    open?.answer(answer);
    setOpen(undefined);
  };
  return (
    <Context value={useMemo(() => ask, [ask])}>
      {children}
      <Modal
        opened={open !== undefined}
        onClose={() => end(undefined)}
        // Before whatever dialog it is asked from.
        zIndex={300}
        title={open?.question.title}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {open && (
          <Stack>
            <Text size="sm" component="div">
              {open.question.text}
            </Text>
            {open.question.option && (
              <Checkbox
                label={open.question.option}
                checked={option}
                onChange={(event) => setOption(event.currentTarget.checked)}
              />
            )}
            <Group justify="flex-end">
              {/* Where a hasty Enter does nothing. */}
              <Button variant="default" onClick={() => end(undefined)} data-autofocus>
                Cancel
              </Button>
              <Button color="red" onClick={() => end({ option })}>
                {open.question.verb}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </Context>
  );
}
