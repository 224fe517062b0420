import type { Plugin } from "vite";
import { signedInKey } from "./src/session/signed-in-key.ts";

/** Scripts that most pages behind the sign-in load. */
const shared = ["shell", "common", "forms", "icons"];

/** Names these scripts in the page, for `public/preload.js` to request them early. */
export function preload(): Plugin {
  let base = "";
  return {
    name: "preload",
    apply: "build",
    configResolved(config) {
      base = config.base;
    },
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle = {} }) {
        const chunks = Object.values(bundle).filter(
          ({ type, name }) => type === "chunk" && shared.includes(name ?? ""),
        );
        if (chunks.length !== shared.length)
          throw new Error(`${chunks.length} of ${shared.join(", ")} are in the build`);
        const files = chunks.map(({ fileName }) => base + fileName).join(" ");
        const attrs = { src: `${base}preload.js`, "data-signed-in-key": signedInKey, "data-files": files };
        return [{ tag: "script", attrs, injectTo: "head-prepend" }];
      },
    },
  };
}
