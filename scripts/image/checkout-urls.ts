import { relative } from "node:path";
import type { Plugin } from "rolldown";

/**
 * Makes `import.meta.url` of our sources work when they are bundled into one folder: files are
 * found at their path in the checkout, in that folder.
 */
export function checkoutUrls(root: string): Plugin {
  return {
    name: "checkout-urls",
    transform(code, id) {
      if (!id.startsWith(root) || id.includes("/node_modules/") || !code.includes("import.meta.url")) return undefined;
      const here = JSON.stringify(relative(root, id));
      const changed = code.replaceAll(/, import\.meta\.url\)/g, (text, at: number) =>
        code.slice(0, at).endsWith('.js"') ? text : `, new URL(${here}, import.meta.url))`,
      );
      return { code: changed, map: null };
    },
  };
}
