// Data about running processes from ps(1), for systems without Linux's /proc, such as macOS.
import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";

/** Start times are compared as texts, so every caller has to get them in the same form. */
const options = { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, env: { ...process.env, LC_ALL: "C", TZ: "UTC" } };
/** `-e` with a dash has another meaning, and only macOS has `-E`. */
const withEnvironment = process.platform === "darwin" ? "-E" : "e";

/** The output of ps; "" if it found no such process, in which case ps exits with 1. */
function ask(args) {
  try {
    return execFileSync("ps", args, { ...options, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error.status === 1 && error.stdout === "") return "";
    throw error;
  }
}

/** Undefined when there is no such process. */
export function statByPs(pid) {
  const [state, parent, ...started] = ask(["-o", "stat=", "-o", "ppid=", "-o", "lstart=", "-p", String(pid)])
    .trim()
    .split(/\s+/);
  if (state === "" || parent === undefined) return undefined;
  return { isZombie: state.startsWith("Z"), parent: Number(parent), startTime: started.join(" ") };
}

const columns = ["-ww", "-o", "pid=", "-o", "command="];

/** The lines of ps by process id; what follows the id is its command. */
const byId = (text) =>
  new Map(
    text.split("\n").flatMap((line) => {
      const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [[Number(pid), command]];
    }),
  );

/**
 * The environments by process id, each one text: " A=1 B=2". ps prints an environment after the
 * arguments; its output without environments is cut off, so that no argument is taken for a
 * variable.
 */
function environments(plain, full) {
  const commands = byId(plain);
  return [...byId(full)].flatMap(([pid, text]) => {
    const command = commands.get(pid);
    return command !== undefined && text.startsWith(command) ? [{ pid, environment: text.slice(command.length) }] : [];
  });
}

/** True when the environment that the process was started with names this variable. */
export function variableByPs(pid, name) {
  const of = [...columns, "-p", String(pid)];
  const [found] = environments(ask(of), ask([withEnvironment, ...of]));
  return found?.environment.includes(` ${name}=`) ?? false;
}

/** Values may hold spaces, so a value ends where the next variable begins. */
function holds(environment, entry) {
  for (let at = environment.indexOf(entry); at >= 0; at = environment.indexOf(entry, at + 1))
    if (/^\s*$|^ \w+=/.test(environment.slice(at + entry.length))) return true;
  return false;
}

/** Ids of the running processes that were started with `name=value` in their environment. */
export async function processesByPs(name, value) {
  const run = async (args) => (await promisify(execFile)("ps", args, options)).stdout;
  const all = ["-A", ...columns];
  const found = environments(await run(all), await run([withEnvironment, ...all]));
  return found.flatMap(({ pid, environment }) => (holds(environment, ` ${name}=${value}`) ? [pid] : []));
}
