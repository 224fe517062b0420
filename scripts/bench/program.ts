import { Socket } from "node:net";

/**
 * Runs a command-line program that Ctrl-C, SIGTERM and the end of its parent abort in order: `body`
 * gets the signal, cleans up and rejects. A failure is told in words and ends the process with 1.
 */
export async function runProgram(body: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => interrupted.abort(new Error(`stopped by ${signal}`)));
  }
  onParentGone(() => interrupted.abort(new Error("stopped: the parent process is gone")));
  try {
    await body(interrupted.signal);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** The launcher leaves a pipe open for as long as it lives, and says on which descriptor. */
function onParentGone(then: () => void): void {
  const fd = Number(process.env["PARENT_PIPE_FD"]);
  if (!(fd > 0)) return;
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.once("close", then).resume().unref();
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What fails while cleaning up comes with what failed first.
  if (error instanceof SuppressedError) return `${messageOf(error.suppressed)}\nand then: ${messageOf(error.error)}`;
  if (error.name === "AbortError" && error.cause !== undefined) return messageOf(error.cause);
  return error.message;
}
