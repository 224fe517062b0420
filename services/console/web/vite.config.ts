import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compress } from "./compress.ts";

/**
 * A running gateway, for `npm run dev` in this folder: pages from here, everything else from
 * there.
 */
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:8080";

/** Anything but inputs, the dialogs that they are in, and tables that can be sorted. */
const withoutForms =
  /^(?!.*(?:@mantine[+/]form|react-number-format|react-table|table-core|data-table|components\/(?:NumberInput|Modal|ModalBase|Drawer|Checkbox|Pagination|PillsInput|Pill)\/))/;

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
            // One script for the sign-in, one for what most pages behind it have in common, and one for
            // forms and tables, which the overview does not need.
            { name: "first", tags: ["$initial"], priority: 3 },
            { name: "common", test: withoutForms, minShareCount: 4, priority: 2 },
            { name: "forms", minShareCount: 4, priority: 1 },
            // Each small module that a few pages share would otherwise be a request.
            { name: "small", test: withoutForms, minShareCount: 2, maxModuleSize: 6_000 },
            // Each icon that pages share would otherwise be a request.
            { name: "icons", test: /@tabler/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { "/console/api": { target: gateway, changeOrigin: true } } },
});
