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
    proxy: {
      "/api": "http://127.0.0.1:4000",
      "/ready": "http://127.0.0.1:4000",
      "/metrics": "http://127.0.0.1:4000",
    },
  },
});
