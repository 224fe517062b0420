// npm run image: the tree of a service's image.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { repoRoot as root } from "@uag/local/paths";
import { fail, step, UserError } from "@uag/local/terminal/step";
import { assemble } from "./assemble.ts";
import { type BuildOptions, buildImages, imageName, imageSize } from "./docker/build.ts";
import { findDocker } from "./docker/engine.ts";
import { type Image, images, version } from "./images.ts";
import { directorySize } from "./size.ts";
import { digestValues } from "./values.ts";

const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const help = `npm run image -- <service> ... | --all  [--out <folder>]

Bundles services and assembles their images, without Node, in <folder>/<service> (default: .data/images).
infra/Dockerfile runs it.

npm run image -- --docker [<service> ...]  [--base <image>|local] [--prefix uag] [--tag <version>] [--save <file>]

Builds the images of all or some services with Docker from infra/Dockerfile, and prints their unpacked sizes. As root on
Debian or Ubuntu, installs and starts Docker if it is missing. --base local makes the image of Node on this machine from
the packages of Debian and npm, for machines that reach no image registry. Images are named <prefix>/<service>:<tag>
(default tag: the version in package.json). --save writes all of them to one archive, which docker load and
ctr images import read.

npm run -s image -- --values <metadata.json> ...

Prints values of the fleet's chart that run pushed images by their digests. The files are those of
docker buildx build --push --metadata-file. Services: ${images.map(({ service }) => service).join(", ")}.
`;

/** Builds images with Docker, and saves them if `save` names a file. */
async function build(wanted: readonly Image[], options: BuildOptions & { readonly save?: string }): Promise<void> {
  const docker = await findDocker();
  await buildImages(docker, wanted, options);
  const names = wanted.map((image) => imageName(options, image));
  for (const name of names) process.stdout.write(`${name} ${inMegabytes(await imageSize(docker, name))}\n`);
  const { save } = options;
  if (save !== undefined)
    await step(`Saving to ${save}`, () => docker.run(["save", "--output", resolve(save), ...names]));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string", default: join(root, ".data/images") },
      all: { type: "boolean", default: false },
      docker: { type: "boolean", default: false },
      base: { type: "string" },
      prefix: { type: "string", default: "uag" },
      tag: { type: "string", default: version },
      save: { type: "string" },
      values: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.values && !values.help) {
    if (positionals.length === 0) throw new UserError(`--values needs metadata files.\n\n${help}`);
    process.stdout.write(await digestValues(positionals));
    return;
  }
  const isAll = values.all || (values.docker && positionals.length === 0);
  const wanted = isAll ? images : images.filter(({ service }) => positionals.includes(service));
  const unknown = positionals.filter((name) => images.every(({ service }) => service !== name));
  if (values.help || (wanted.length === 0 && unknown.length === 0)) {
    process.stdout.write(help);
    return;
  }
  if (unknown.length > 0) throw new UserError(`Unknown service ${unknown.join(", ")}.\n\n${help}`);
  if (values.docker) {
    await build(wanted, values);
    return;
  }
  for (const image of wanted) {
    const dir = resolve(values.out, image.service);
    await step(`Assembling ${image.service}`, () => assemble(image, root, dir));
    process.stdout.write(`${dir} ${inMegabytes(await directorySize(dir))}\n`);
  }
}

await main().catch(fail);
