import { chmod, copyFile, cp, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { findMongod, findNatsServer, withCurl } from "@uag/local/engines/find";
import { runTool } from "@uag/local/engines/run-tool";
import { binDir } from "@uag/local/paths";
import { nodeOptions } from "@uag/local/service-processes";
import { images } from "../image/images.ts";
import { type ImageSpec, writeArchive } from "./archive.ts";
import type { Programs } from "./programs.ts";

/** What Node needs of Debian, and a shell for NATS's reload. */
const basePackages = ["base-files", "libc6", "libgcc-s1", "libstdc++6", "busybox-static"];
/** What `mongod` needs in addition. */
const mongoPackages = ["libssl3", "liblzma5", "zlib1g"];
const shellCommands = ["sh", "cat", "sleep", "sha256sum"];

/** The tags that the chart's values name. */
export const tags = { engines: "local" } as const;

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runTool(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}

/** Unpacks Debian packages, without their scripts, into a folder. */
async function unpack(names: readonly string[], dir: string): Promise<void> {
  const debs = `${dir}.debs`;
  await rm(debs, { recursive: true, force: true });
  await mkdir(debs, { recursive: true });
  await mkdir(dir, { recursive: true });
  await run("apt-get", ["-o", "APT::Sandbox::User=root", "download", ...names], debs);
  for (const file of await readdir(debs)) await run("dpkg-deb", ["--extract", file, dir], debs);
  await rm(debs, { recursive: true });
  for (const docs of ["usr/share/doc", "usr/share/locale", "usr/share/man", "usr/share/lintian"])
    await rm(join(dir, docs), { recursive: true, force: true });
}

async function baseLayer(dir: string): Promise<string> {
  await unpack(basePackages, dir);
  for (const name of shellCommands) await symlink("busybox", join(dir, "bin", name));
  await mkdir(join(dir, "usr/local/bin"), { recursive: true });
  await copyFile(process.execPath, join(dir, "usr/local/bin/node"));
  return dir;
}

async function natsLayer(dir: string): Promise<string> {
  await mkdir(join(dir, "usr/local/bin"), { recursive: true });
  await copyFile((await findNatsServer({ binDir })).path, join(dir, "usr/local/bin/nats-server"));
  return dir;
}

async function mongoLayer(dir: string): Promise<string> {
  await unpack(mongoPackages, dir);
  const bin = join(dir, "usr/local/bin");
  await mkdir(bin, { recursive: true });
  const libraries = join(dir, "usr/local/lib/mongod");
  const { path } = await findMongod({ binDir });
  const { LD_LIBRARY_PATH: curl = "" } = await withCurl(binDir);
  await cp(curl, libraries, { recursive: true, dereference: true });
  await copyFile(path, join(libraries, "server"));
  const start = `#!/bin/sh\nLD_LIBRARY_PATH=/usr/local/lib/mongod exec /usr/local/lib/mongod/server "$@"\n`;
  await writeFile(join(bin, "mongod"), start);
  await chmod(join(bin, "mongod"), 0o755);
  return dir;
}

async function programLayer(program: string, dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  await copyFile(program, join(dir, basename(program)));
  return dir;
}

const user = "65532:65532";
const path = "PATH=/usr/local/bin:/usr/bin:/bin";

/**
 * Writes every image of the cluster into one archive: services from their trees, engines from this
 * machine's programs, and the cluster's own programs alone.
 * @param trees folder with a tree for each service
 */
export async function writeImages(programs: Programs, { trees, dir }: { trees: string; dir: string }): Promise<string> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const base = { dir: await baseLayer(join(dir, "base")), at: "." };
  const nats = { dir: await natsLayer(join(dir, "nats")), at: "." };
  const mongo = { dir: await mongoLayer(join(dir, "mongo")), at: "." };
  const ofServices = images.map(({ service }): ImageSpec => {
    const config = { Entrypoint: ["node", ...nodeOptions, "main.js"], Env: [path, "NODE_ENV=production"] };
    return {
      name: `docker.io/uag/${service}:1.0.0`,
      layers: [base, { dir: join(trees, service), at: "app" }],
      config: { ...config, WorkingDir: "/app", User: user },
    };
  });
  const ofPrograms: ImageSpec[] = [];
  for (const name of ["pause", "coredns", "metrics-server"] as const) {
    const layer = { dir: await programLayer(programs[name], join(dir, name)), at: "." };
    ofPrograms.push({ name: `uag.local/${name}:1`, layers: [layer], config: { Entrypoint: [`/${name}`] } });
  }
  const engine = { Env: [path], User: user };
  const file = join(dir, "images.tar");
  await writeArchive(
    [
      ...ofServices,
      { name: `docker.io/library/nats:${tags.engines}`, layers: [base, nats], config: engine },
      { name: `docker.io/library/mongo:${tags.engines}`, layers: [base, mongo], config: engine },
      ...ofPrograms,
    ],
    file,
  );
  return file;
}
