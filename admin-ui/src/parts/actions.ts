import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refusal } from "../api/client";
import { visible } from "./shown";
import { toast, toastFailure } from "./toasts";

/**
 * Something that a button does: says when it is done or has failed, and asks again for what it may have changed.
 *
 * - `changes`: beginnings of keys of queries.
 * - `quiet`: whoever uses it shows what has failed.
 */
export function useAction<V, T>(
  act: (value: V) => Promise<T>,
  options: {
    changes: string[][];
    done?: (answer: T, value: V) => string | undefined;
    failed?: (failure: Error, value: V) => void;
    quiet?: boolean;
  },
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: (answer, value) => {
      const text = options.done?.(answer, value);
      if (text) toast(text);
    },
    onError: (failure, value) => {
      options.failed?.(failure, value);
      if (!options.quiet) toastFailure(failure);
    },
    // It may hold secrets: nothing of it outlives whoever shows it.
    gcTime: 0,
    onSettled: () => Promise.all(options.changes.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** The message of a wrong field; those of fields within it, too. */
export function fieldError(failure: unknown, path: string): string | undefined {
  if (!(failure instanceof Refusal)) return undefined;
  const found = failure.fields.filter((each) => each.path === path || each.path.startsWith(`${path}.`));
  if (found.length === 0) return undefined;
  return visible(
    found.map((each) => (each.path === path ? each.message : `${each.path} ${each.message}`)).join("; "),
  );
}

/** What is wrong with no field that the form has. */
export function otherErrors(failure: unknown, paths: string[]): string | undefined {
  const found = others(failure, paths);
  return found === undefined ? undefined : visible(found);
}

function others(failure: unknown, paths: string[]): string | undefined {
  if (!failure) return undefined;
  if (!(failure instanceof Refusal)) return failure instanceof Error ? failure.message : String(failure);
  const rest = failure.fields.filter(
    (each) => !paths.some((path) => each.path === path || each.path.startsWith(`${path}.`)),
  );
  if (failure.fields.length === 0) return failure.message;
  return rest.length === 0 ? undefined : rest.map((each) => `${each.path} ${each.message}`.trim()).join("; ");
}
