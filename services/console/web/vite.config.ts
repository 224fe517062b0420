import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/**
 * A running gateway, for `npm run dev` in this folder: pages from here, everything else from
 * there.
 */
const gateway = process.env["GATEWAY_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  build: {
    target: "es2023",
    // The content security policy allows neither inline scripts nor data: URLs for anything but
    // images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/console/api": { target: gateway, changeOrigin: true } } },
});
