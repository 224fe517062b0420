import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";

/** Set in every process of a supervisor, to the supervisor's own value. */
export const markName = "FLEET_ID";

export interface Watchdog extends AsyncDisposable {
  /** Must be in the environment of every process that must not outlive this one. */
  readonly mark: Readonly<Record<string, string>>;
}

/**
 * Starts a small process that holds the other end of a pipe. When the pipe closes, because this
 * process ended in any way, it ends every process with the mark, so even a supervisor killed with
 * SIGKILL leaves no orphan.
 */
export function startWatchdog(): Watchdog {
  const id = randomUUID();
  const program = join(import.meta.dirname, "watchdog.ts");
  const child = spawn(process.execPath, [program, id], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env["PATH"] },
  });
  child.unref();
  return {
    mark: { [markName]: id },
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}
