import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot } from "@uag/local/paths";
import { step, UserError } from "@uag/local/terminal/step";
import type { Image } from "../images.ts";
import { localBase, makeLocalBase } from "./base.ts";
import type { Docker } from "./engine.ts";

export interface BuildOptions {
  /** What precedes `/<service>` in the images' names. */
  readonly prefix: string;
  readonly tag: string;
  /** The image of Node; `local`: one made on this machine; undefined: the one that the Dockerfile pins. */
  readonly base?: string;
}

export const imageName = ({ prefix, tag }: BuildOptions, { service }: Pick<Image, "service">): string =>
  `${prefix}/${service}:${tag}`;

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/** What this machine needs to reach npm's registry; nothing of it enters an image. */
export async function secretArgs(): Promise<string[]> {
  const files = {
    npmrc: process.env["NPM_CONFIG_USERCONFIG"] ?? join(homedir(), ".npmrc"),
    ca: process.env["NODE_EXTRA_CA_CERTS"] ?? "",
  };
  const args: string[] = [];
  for (const [id, file] of Object.entries(files))
    if (file !== "" && (await exists(file))) args.push("--secret", `id=${id},src=${file}`);
  return args;
}

async function revision(): Promise<string> {
  const { code, output } = await runTool("git", ["rev-parse", "HEAD"], { cwd: repoRoot });
  return code === 0 ? output.trim() : "unknown";
}

async function baseArgs(docker: Docker, base: string | undefined): Promise<string[]> {
  if (base === undefined) return [];
  return ["--build-arg", `NODE_IMAGE=${base === "local" ? await makeLocalBase(docker) : base}`];
}

const unreachable = /failed to resolve|no such host|dial tcp|connection refused|i\/o timeout|403 Forbidden/;

/**
 * Builds the images of services from `infra/Dockerfile`, one after the other; they share one
 * installation and the layers below their code.
 * @throws {UserError} with BuildKit's output if a build fails
 */
export async function buildImages(docker: Docker, images: readonly Image[], options: BuildOptions): Promise<void> {
  const args = ["build", "--progress=plain", "--network=host", "--file", join(repoRoot, "infra/Dockerfile")];
  args.push(...(await baseArgs(docker, options.base)), ...(await secretArgs()));
  args.push("--build-arg", `VERSION=${options.tag}`, "--build-arg", `REVISION=${await revision()}`);
  for (const image of images) {
    const name = imageName(options, image);
    const own = ["--build-arg", `SERVICE=${image.service}`, "--tag", name, repoRoot];
    await step(`Building ${name}`, () => docker.run([...args, ...own])).catch((error: unknown) => {
      if (options.base !== undefined || !unreachable.test(String(error))) throw error;
      throw new UserError(`${String(error)}\n\nWithout an image registry, use --base local, which makes ${localBase}.`);
    });
  }
}

/** The unpacked size of an image, bytes. */
export async function imageSize(docker: Docker, name: string): Promise<number> {
  return Number(await docker.run(["image", "inspect", "--format", "{{.Size}}", name]));
}
