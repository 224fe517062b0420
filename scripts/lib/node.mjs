// Finds the Node that runs the TypeScript code, and hands the terminal over to it.
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { hasVariable, statOf } from "../../services/dev/local/src/terminal/proc.mjs";
import { UserError } from "../../services/dev/local/src/terminal/step.mjs";
import { ensureInstalled, root } from "./install.mjs";

const neededMajor = 24;
const parentPollMs = 1_000;
/**
 * Caches compiled code between starts for all programs, which halves the time until ready.
 */
const compileCache = join(root, ".data/cache");

/** Path of a recent Node: the one among the packages, else the one that runs this. */
async function findNode() {
  const packaged = join(root, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  const found = await access(packaged, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (found) return packaged;
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  throw new UserError(
    `The code needs Node ${neededMajor}; no package of it exists for ${process.platform}-${process.arch}, and this is Node ${process.versions.node}.\n` +
      `Install Node ${neededMajor} or newer (https://nodejs.org), then run the command again.`,
  );
}

/**
 * Calls `then` when npm, or a shell between it and this process, has ended. Shells that die of a
 * signal do not forward it to their children, and then Ctrl-C would reach no process.
 */
function whenNpmIsGone(then) {
  const parents = new Map();
  for (let pid = process.pid; hasVariable(pid, "npm_lifecycle_event"); pid = parents.get(pid))
    parents.set(pid, statOf(pid)?.parent);
  const isGone = () => [...parents].some(([pid, parent]) => statOf(pid)?.parent !== parent);
  if (parents.size > 0) setInterval(() => isGone() && then(), parentPollMs).unref();
}

/**
 * Hosts that bypass the environment's proxies, so that calls between our programs stay on this
 * machine.
 */
function withoutProxy({ no_proxy, NO_PROXY } = process.env) {
  return [no_proxy ?? NO_PROXY ?? "", "127.0.0.1", "localhost", "::1"].filter((host) => host !== "").join(",");
}

/**
 * Runs a TypeScript program under Node 24 with this process's terminal, arguments and signals, and
 * ends with its exit code. Descriptor 3 of the program is a pipe that closes when this process ends
 * for any reason.
 */
export async function runProgram(entry, args) {
  await ensureInstalled();
  const node = await findNode();
  const path = [dirname(node), join(root, "node_modules/.bin"), process.env.PATH].join(delimiter);
  // This Node is one of the packages, so its warnings about experimental features are suppressed.
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", join(root, entry), ...args], {
    stdio: ["inherit", "inherit", "inherit", "pipe"],
    env: {
      ...process.env,
      PATH: path,
      NODE_COMPILE_CACHE: compileCache,
      PARENT_PIPE_FD: "3",
      no_proxy: withoutProxy(),
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  whenNpmIsGone(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
