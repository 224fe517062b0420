import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./compress.ts";

/**
 * A running gateway, for `npm run dev` in this folder: pages from here, everything else from
 * there.
 */
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "/console/",
  plugins: [react(), compress()],
  build: {
    target: "es2023",
    // The content security policy allows neither inline scripts nor data: URLs for anything but
    // images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One script for the sign-in, one for what most pages behind it have in common.
            { name: "first", tags: ["$initial"], priority: 2 },
            { name: "common", minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/console/api": { target: gateway, changeOrigin: true } } },
});
