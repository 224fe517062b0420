import { isIn, optionalPackages } from "@uag/local/build/optional-packages";
import { bundledThreads } from "@uag/local/build/threads";
import { rolldown } from "rolldown";
import sbom from "rollup-plugin-sbom";
import { checkoutUrls } from "./checkout-urls.ts";
import type { Image } from "./images.ts";

/**
 * Bundles an image's programs into `dir` with source maps, and writes their components to
 * `bom.json` (CycloneDX).
 * @throws when an import cannot be resolved
 */
export async function bundle(image: Image, root: string, dir: string): Promise<void> {
  const whole = Object.keys(image.packages).filter((name) => image.packages[name]?.length === 0);
  const unbundled = [...whole, ...optionalPackages];
  const bundler = await rolldown({
    input: { ...image.entries },
    cwd: root,
    platform: "node",
    external: (id) => isIn(id, unbundled),
    plugins: [
      bundledThreads(),
      checkoutUrls(root),
      // Builds are reproducible: the same code gives the same file.
      sbom({ outDir: ".", outFormats: ["json"], includeWellKnown: false, autodetect: false, saveTimestamp: false }),
    ],
    onLog(level, log, handler) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      // The plugin looks for other bundlers and logs that they are not installed.
      if (log.plugin !== "rollup-plugin-sbom") handler(level, log);
    },
  });
  await bundler.write({
    dir,
    format: "esm",
    sourcemap: true,
    // Stack traces need only the positions.
    sourcemapExcludeSources: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundler.close();
}
