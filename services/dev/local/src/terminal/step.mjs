// What every command prints: the steps of slow work as they go, its output, and why it failed.

const isTerminal = Boolean(process.stderr.isTTY);
const progressEveryMs = isTerminal ? 100 : 5_000;

/**
 * Runs `work` and prints "<title> … done in 6.1 s". `work` is handed a function that shows how far
 * it is. Everything goes to stderr, so that the output of a command can be piped.
 */
export async function step(title, work) {
  const startedAt = performance.now();
  let shownAt = startedAt;
  const progress = (text) => {
    if (performance.now() - shownAt < progressEveryMs) return;
    shownAt = performance.now();
    process.stderr.write(isTerminal ? `\r\u001b[K${title} … ${text}` : `${text} … `);
  };
  process.stderr.write(`${title} … `);
  const end = (text) => process.stderr.write(isTerminal ? `\r\u001b[K${title} … ${text}\n` : `${text}\n`);
  try {
    const result = await work(progress);
    end(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    end("failed");
    throw error;
  }
}

/** Prints a line of a command's output. */
export function print(line) {
  process.stdout.write(`${line}\n`);
}

/** A failure that the user can fix: its message explains how, and no stack is shown. */
export class UserError extends Error {
  name = "UserError";
}

/**
 * Errors whose message tells the user all: a wrong option, a wrong setting, what a service
 * answered.
 */
const isForUsers = (error) =>
  error instanceof UserError ||
  String(error?.code).startsWith("ERR_PARSE_ARGS_") ||
  ["ConfigError", "GatewayError"].includes(error?.name);

export const diskFull = "The disk is full. Free about 1 GB and run the command again.";

/** What to do about an error of the file system, where that is plain. */
function fileErrorHint({ code, path, dest }) {
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull;
  if (!["EACCES", "EPERM", "EROFS"].includes(code) || path === undefined) return undefined;
  return `${dest ?? path} cannot be written. Check that this user owns it, or name another folder with DATA_DIR, then run the command again.`;
}

/** Prints why a command cannot continue and exits with 1. */
export function fail(error) {
  const text =
    (isForUsers(error) ? error.message : fileErrorHint(error ?? {})) ??
    (error instanceof Error ? error.stack : String(error));
  process.stderr.write(`\n${text}\n`);
  process.exit(1);
}
