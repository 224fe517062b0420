import { cp, glob, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { completeBom } from "./bom.ts";
import { bundle } from "./bundle.ts";
import type { Image } from "./images.ts";
import { copyPackage, type Manifest } from "./packages.ts";

/** Assembles an image without Node in `dir`, whose previous content is deleted. */
export async function assemble(image: Image, root: string, dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await writeFile(
    join(dir, "package.json"),
    `${JSON.stringify({ name: image.service, type: "module", private: true })}\n`,
  );
  await image.prepare?.((line) => void process.stderr.write(`${line}\n`));
  await bundle(image, root, dir);
  for (const pattern of image.files) {
    for await (const file of glob(pattern, { cwd: root }))
      await cp(join(root, file), join(dir, file), { recursive: true });
  }
  const home = dirname(dirname(join(root, image.entries["main"] ?? "")));
  const copied: Manifest[] = [];
  for (const [name, files] of Object.entries(image.packages))
    copied.push(...(await copyPackage(name, home, dir, files)));
  await completeBom(join(dir, "bom.json"), root, copied);
}
