// npm run image: the tree of a service's image.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { repoRoot as root } from "@uag/local/paths";
import { fail, step, UserError } from "@uag/local/terminal/step";
import { assemble } from "./assemble.ts";
import { images } from "./images.ts";
import { directorySize } from "./size.ts";
import { digestValues } from "./values.ts";

const help = `npm run image -- <service> ... | --all  [--out <folder>]

Bundles services and assembles their images, without Node, in <folder>/<service> (default: .data/images).
infra/Dockerfile runs it.

npm run -s image -- --values <metadata.json> ...

Prints values of the fleet's chart that run pushed images by their digests. The files are those of
docker buildx build --push --metadata-file. Services: ${images.map(({ service }) => service).join(", ")}.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string", default: join(root, ".data/images") },
      all: { type: "boolean", default: false },
      values: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.values && !values.help) {
    if (positionals.length === 0) throw new UserError(`--values needs metadata files.\n\n${help}`);
    process.stdout.write(await digestValues(positionals));
    return;
  }
  const wanted = values.all ? images : images.filter(({ service }) => positionals.includes(service));
  const unknown = positionals.filter((name) => images.every(({ service }) => service !== name));
  if (values.help || (wanted.length === 0 && unknown.length === 0)) {
    process.stdout.write(help);
    return;
  }
  if (unknown.length > 0) throw new UserError(`Unknown service ${unknown.join(", ")}.\n\n${help}`);
  for (const image of wanted) {
    const dir = resolve(values.out, image.service);
    await step(`Assembling ${image.service}`, () => assemble(image, root, dir));
    process.stdout.write(`${dir} ${((await directorySize(dir)) / 1e6).toFixed(1)} MB\n`);
  }
}

await main().catch(fail);
