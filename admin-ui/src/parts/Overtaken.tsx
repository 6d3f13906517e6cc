import { Alert, Button } from "@mantine/core";

/** What one types is based on what is no longer there. */
export function Overtaken({ by, drop }: { by: boolean; drop: () => void }) {
  if (!by) return null;
  return (
    <Alert color="orange" title="Somebody else has changed it meanwhile" mb="sm">
      <Button variant="default" onClick={drop}>
        Show what is there now, instead of mine
      </Button>
    </Alert>
  );
}
