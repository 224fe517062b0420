import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { findMongod, findNatsServer } from "@uag/local/engines/find";
import { binDir, repoRoot } from "@uag/local/paths";
import { step } from "@uag/local/terminal/step";
import { makeLocalBase } from "./base.ts";
import { secretArgs } from "./build.ts";
import type { Docker } from "./engine.ts";

/** The images of third parties that infra/compose.yaml runs, made on this machine. */
export interface EngineImages {
  readonly mongo: string;
  readonly nats: string;
  readonly openssl: string;
}

/** Makes images of MongoDB and NATS, with the servers of `npm start`, on the local base, which has OpenSSL. */
export async function makeEngineImages(docker: Docker): Promise<EngineImages> {
  const base = await makeLocalBase(docker);
  const [mongod, nats] = [await findMongod({ binDir }), await findNatsServer({ binDir })];
  const images = { mongo: `uag-local/mongo:${mongod.version}`, nats: `uag-local/nats:${nats.version}` };
  await mkdir(join(repoRoot, ".data"), { recursive: true });
  const context = await mkdtemp(join(repoRoot, ".data/engine-images-"));
  try {
    await copyFile(mongod.path, join(context, "mongod"));
    await copyFile(nats.path, join(context, "nats-server"));
    const args = ["build", "--network=host", "--build-arg", `BASE=${base}`, ...(await secretArgs())];
    args.push("--file", join(repoRoot, "infra/image/engines.Dockerfile"));
    for (const [target, name] of Object.entries(images))
      await step(`Building ${name}`, () => docker.run([...args, "--target", target, "--tag", name, context]));
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  return { ...images, openssl: base };
}
