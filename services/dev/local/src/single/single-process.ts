import type { ProcessSpec } from "../supervisor/process.ts";

/** A service in a shared process. */
interface SharedService {
  readonly name: string;
  /** Its variables, in addition to those of the process. */
  readonly env: Readonly<Record<string, string>>;
}

/** Name of the process, of its log and of its program. */
export const singleName = "services";
const variable = "SERVICES";

/** The services that a process with this environment runs. */
export function readServices(env: NodeJS.ProcessEnv): readonly SharedService[] {
  const text = env[variable];
  if (text === undefined) throw new Error(`${variable} is not set`);
  return JSON.parse(text) as readonly SharedService[];
}

/**
 * One process in place of several: the same services with the same settings, which share one heap
 * and one copy of the code. It is ready when all of them are, and restarted when one is stuck.
 * @param specs at least one
 */
export function singleProcess(specs: readonly ProcessSpec[], command: ProcessSpec["command"]): ProcessSpec {
  const [first] = specs;
  if (first === undefined) throw new Error("a process needs at least one service");
  const common = Object.entries(first.env).filter(([name, value]) => specs.every(({ env }) => env[name] === value));
  const shared = new Set(common.map(([name]) => name));
  const services: SharedService[] = specs.map(({ name, env }) => ({
    name,
    env: Object.fromEntries(Object.entries(env).filter(([variable]) => !shared.has(variable))),
  }));
  const all = async (check: (spec: ProcessSpec) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all(specs.map(check))).every(Boolean);
  return {
    name: singleName,
    command,
    cwd: first.cwd,
    env: { ...Object.fromEntries(common), [variable]: JSON.stringify(services) },
    stopMs: specs.reduce((sum, { stopMs = 0 }) => sum + stopMs, 0),
    isReady: () => all((spec) => spec.isReady()),
    liveness: { isAlive: () => all(async ({ liveness }) => (await liveness?.isAlive()) ?? true) },
  };
}
