import { Button, Group } from "@mantine/core";
import { useState } from "react";

/** Where one is in a list of which the API gives a page at a time. */
export interface Paging {
  /** Of the page that is looked at; undefined for the first one. */
  cursor: string | undefined;
  before: string[];
  go: (cursors: string[]) => void;
}

export function usePaging(): Paging {
  const [before, go] = useState<string[]>([]);
  return { cursor: before.at(-1), before, go };
}

/** - `page`: what the query has, which may still be the page before. */
export function Pager({
  paging,
  page,
}: {
  paging: Paging;
  page: { data: { next_cursor: string | null } | undefined; isPlaceholderData: boolean };
}) {
  const next = page.data?.next_cursor;
  if (paging.before.length === 0 && !next) return null;
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="compact-xs"
        disabled={paging.before.length === 0 || page.isPlaceholderData}
        onClick={() => paging.go(paging.before.slice(0, -1))}
      >
        Newer
      </Button>
      <Button
        variant="default"
        size="compact-xs"
        disabled={!next || page.isPlaceholderData}
        onClick={() => next && paging.go([...paging.before, next])}
      >
        Older
      </Button>
    </Group>
  );
}
