import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";

/** What sandboxes are made from, as the operator has named it. */
export function usePresets() {
  return useQuery({
    queryKey: ["presets"],
    queryFn: ({ signal }) => call("GET /api/sandbox-presets", { signal }),
  });
}
