import { basename, dirname, join, relative } from "node:path";
import type { Plugin } from "rolldown";

const worker = /new URL\("([^"]+)\.ts", import\.meta\.url\)/g;

/**
 * Makes `import.meta.url` of our sources work when they are bundled into one folder: a program for
 * a thread becomes its own bundle there, and other files are found at their path in the checkout.
 */
export function sourceUrls(root: string): Plugin {
  return {
    name: "source-urls",
    transform(code, id) {
      if (!id.startsWith(root) || id.includes("/node_modules/") || !code.includes("import.meta.url")) return undefined;
      const threads = code.replaceAll(worker, (_, path: string) => {
        const fileName = `${basename(path)}.js`;
        this.emitFile({ type: "chunk", id: join(dirname(id), `${path}.ts`), fileName });
        return `new URL("${fileName}", import.meta.url)`;
      });
      const here = JSON.stringify(relative(root, id));
      const others = threads.replaceAll(/, import\.meta\.url\)/g, (text, at: number) =>
        threads.slice(0, at).endsWith('.js"') ? text : `, new URL(${here}, import.meta.url))`,
      );
      return { code: others, map: null };
    },
  };
}
