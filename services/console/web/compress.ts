import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "vite";

const encoders = { br: promisify(brotliCompress), gz: promisify(gzip) } as const;
/** Fonts and images are already compressed. */
const texts = /\.(?:js|css|svg)$/;

/** Puts `name.br` and `name.gz` beside every text of the build: the server sends these. */
export function compress(): Plugin {
  return {
    name: "compress",
    apply: "build",
    async writeBundle({ dir = "dist" }) {
      const assets = join(dir, "assets");
      const names = (await readdir(assets)).filter((name) => texts.test(name));
      await Promise.all(
        names.flatMap((name) =>
          Object.entries(encoders).map(async ([suffix, encode]) => {
            const file = join(assets, name);
            await writeFile(`${file}.${suffix}`, await encode(await readFile(file)));
          }),
        ),
      );
    },
  };
}
