import { address, Refusal, Unreachable } from "../api/client";
import type { Problem } from "../api/types";

/** Sends a file, and tells how far it has come. `fetch` cannot tell that. */
export function upload(
  path: { id: string; alias: string },
  target: string,
  body: Blob,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address("/api/agents/{id}/sandboxes/{alias}/files", path, { path: target }));
    request.setRequestHeader("X-Hermit-CSRF", "1");
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => onProgress(event.total > 0 ? event.loaded / event.total : 1);
    request.onerror = () => reject(new Unreachable());
    request.onabort = () => reject(new DOMException("cancelled", "AbortError"));
    request.onload = () => {
      if (request.status < 300) return resolve();
      try {
        reject(new Refusal(JSON.parse(request.responseText) as Problem));
      } catch {
        reject(new Unreachable());
      }
    };
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
