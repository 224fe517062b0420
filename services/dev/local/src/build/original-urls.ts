import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "rolldown";

const resolved = /import\.meta\.resolve\("([^"]+)"\)/g;
/** The URL of a bundled thread's program, which is beside the bundle. */
const url = /(?<!\.js", )import\.meta\.url/g;
const folder = /import\.meta\.dirname/g;

/** Makes `import.meta` of our bundled sources refer to the sources, whose files are read in place. */
export function originalUrls(root: string): Plugin {
  return {
    name: "original-urls",
    transform(code, id) {
      if (!id.startsWith(root) || id.includes("/node_modules/") || !code.includes("import.meta.")) return undefined;
      const packages = createRequire(id);
      const changed = code
        .replaceAll(resolved, (_, name: string) => JSON.stringify(pathToFileURL(packages.resolve(name)).href))
        .replaceAll(url, () => JSON.stringify(pathToFileURL(id).href))
        .replaceAll(folder, () => JSON.stringify(dirname(id)));
      return { code: changed, map: null };
    },
  };
}
