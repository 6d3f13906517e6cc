import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import about from "./package.json" with { type: "json" };

export default defineConfig({
  plugins: [react()],
  define: { __VERSION__: JSON.stringify(about.version) },
  // The gateway puts a new one in its place in every answer.
  html: { cspNonce: "HERMIT_NONCE" },
  build: {
    outDir: "build",
    // Nothing inlined: the policy of the page lets no data: address in.
    assetsInlineLimit: 0,
    target: "es2023",
    modulePreload: { polyfill: false },
    // scripts/pack.mjs is stricter, and counts what is really sent.
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: Object.fromEntries(
      ["/api", "/health", "/ready", "/metrics"].map((path) => [
        path,
        // The gateway answers to its own names only; terminals are WebSockets.
        { target: "http://127.0.0.1:4000", changeOrigin: true, ws: true },
      ]),
    ),
  },
});
