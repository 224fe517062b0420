// Preloaded into every process of a fleet: reports over a socket the longest turn of the event loop
// and the memory growth.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

export interface TurnReport {
  /**
   * The most processor time between two ticks of a timer, milliseconds: the wait of others on an
   * otherwise idle machine.
   */
  readonly maxMs: number;
  /** Peak growth of the resident memory. */
  readonly grownBytes: number;
  /** Peak of the resident memory. */
  readonly peakBytes: number;
}

const tickMs = 5;
const folder = process.env["TURN_PROBE_DIR"];

const statusKb = (name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);

function startProbe(socket: string): void {
  let last = process.threadCpuUsage();
  let maxUs = 0;
  let startedKb = 0;
  const reset = (): void => {
    maxUs = 0;
    // Linux: resets the peak of the resident memory (VmHWM).
    writeFileSync("/proc/self/clear_refs", "5");
    startedKb = statusKb("VmRSS");
  };
  const look = (): void => {
    const now = process.threadCpuUsage();
    maxUs = Math.max(maxUs, now.user + now.system - last.user - last.system);
    last = now;
  };
  setInterval(look, tickMs).unref();
  reset();
  const server = createServer((connection) => {
    look();
    const peakKb = statusKb("VmHWM");
    const report: TurnReport = {
      maxMs: maxUs / 1_000,
      grownBytes: (peakKb - startedKb) * 1_024,
      peakBytes: peakKb * 1_024,
    };
    connection.on("error", () => {});
    connection.end(JSON.stringify(report));
    reset();
  });
  server.listen(socket).unref();
}

if (isMainThread && folder !== undefined) startProbe(join(folder, String(process.pid)));
