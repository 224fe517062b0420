import { basename, dirname, join } from "node:path";
import type { Plugin } from "rolldown";

const thread = /new URL\("([^"]+)\.ts", import\.meta\.url\)/g;

/** Bundles the program of each worker thread beside the other programs. */
export function bundledThreads(): Plugin {
  return {
    name: "bundled-threads",
    transform(code, id) {
      if (id.includes("/node_modules/") || !code.includes("import.meta.url")) return undefined;
      const changed = code.replaceAll(thread, (_, path: string) => {
        const fileName = `${basename(path)}.js`;
        this.emitFile({ type: "chunk", id: join(dirname(id), `${path}.ts`), fileName });
        return `new URL("${fileName}", import.meta.url)`;
      });
      return { code: changed, map: null };
    },
  };
}
