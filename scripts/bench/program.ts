import { Socket } from "node:net";

/**
 * Runs a command-line program. Ctrl-C, SIGTERM and the end of its parent abort `body`'s signal; it
 * cleans up and rejects. A failure is printed and the process exits with 1.
 */
export async function runProgram(body: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => interrupted.abort(new Error(`stopped by ${signal}`)));
  }
  onParentGone(() => interrupted.abort(new Error("stopped: the parent process has ended")));
  try {
    await body(interrupted.signal);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** The launcher keeps a pipe open for as long as it lives, on the descriptor named here. */
function onParentGone(then: () => void): void {
  const fd = Number(process.env["PARENT_PIPE_FD"]);
  if (!(fd > 0)) return;
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.once("close", then).resume().unref();
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // An error during clean-up is reported together with the first error.
  if (error instanceof SuppressedError) return `${messageOf(error.suppressed)}\nand then: ${messageOf(error.error)}`;
  if (error.name === "AbortError" && error.cause !== undefined) return messageOf(error.cause);
  return error.message;
}
