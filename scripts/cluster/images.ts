import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { step } from "@uag/local/terminal/step";
import { buildImages, imageName } from "../image/docker/build.ts";
import { type Docker, findDocker } from "../image/docker/engine.ts";
import { makeEngineImages } from "../image/docker/engines.ts";
import { images, version } from "../image/images.ts";
import { run } from "./node/run.ts";
import type { Programs } from "./programs.ts";

/** Where the images are that no chart names; no registry has this name. */
export const localRegistry = "uag.local";
export const localTag = "1";

const localName = (name: string): string => `${localRegistry}/${name}:${localTag}`;

/** The programs of the cluster that run as pods, each alone in its image. */
const podPrograms = ["pause", "coredns", "metrics-server"] as const;

/** Makes the image of a program that needs nothing else. */
async function importProgram(docker: Docker, program: string, dir: string): Promise<string> {
  const name = basename(program);
  const archive = join(dir, `${name}.tar`);
  await run("tar", ["--create", "--file", archive, "--directory", dirname(program), name]);
  await docker.run(["import", "--change", `ENTRYPOINT ["/${name}"]`, archive, localName(name)]);
  await rm(archive);
  return localName(name);
}

/** Names a third party's image as the cluster's values do. */
async function rename(docker: Docker, from: string, name: string): Promise<string> {
  await docker.run(["tag", from, localName(name)]);
  return localName(name);
}

/**
 * Builds every image of the cluster with Docker, the services' from `infra/Dockerfile`, and saves all
 * of them to `file`.
 */
export async function writeImages(programs: Programs, file: string): Promise<void> {
  const docker = await findDocker();
  const options = { prefix: "uag", tag: version, base: "local" };
  await buildImages(docker, images, options);
  const { mongo, nats } = await makeEngineImages(docker);
  const names = images.map((image) => imageName(options, image));
  names.push(await rename(docker, mongo, "mongo"), await rename(docker, nats, "nats"));
  const dir = dirname(file);
  await mkdir(dir, { recursive: true });
  for (const name of podPrograms) names.push(await importProgram(docker, programs[name], dir));
  await step(`Saving ${names.length} images`, () => docker.run(["save", "--output", file, ...names]));
}
