// The output of every command: the progress of slow work, its result, and the reason of a failure.

const isTerminal = Boolean(process.stderr.isTTY);
const progressEveryMs = isTerminal ? 100 : 5_000;

/**
 * Runs `work` and prints "<title> … done in 6.1 s". `work` gets a function that shows how far
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

/** A failure that the user can fix: its message has instructions, and no stack is shown. */
export class UserError extends Error {
  name = "UserError";
}

/**
 * Errors whose message is sufficient for the user: an invalid option or setting, or a service's
 * response.
 */
const isForUsers = (error) =>
  error instanceof UserError ||
  String(error?.code).startsWith("ERR_PARSE_ARGS_") ||
  ["ConfigError", "GatewayError"].includes(error?.name);

export const diskFull = "The disk is full. Free about 1 GB and run the command again.";

/** Instructions for an error of the file system, if known. */
function fileErrorHint({ code, path, dest }) {
  if (code === "ENOSPC" || code === "EDQUOT") return diskFull;
  if (!["EACCES", "EPERM", "EROFS"].includes(code) || path === undefined) return undefined;
  return `${dest ?? path} cannot be written. Check that this user owns it, or set DATA_DIR to another folder, then run the command again.`;
}

/** Prints why a command cannot continue and exits with 1. */
export function fail(error) {
  const text =
    (isForUsers(error) ? error.message : fileErrorHint(error ?? {})) ??
    (error instanceof Error ? error.stack : String(error));
  process.stderr.write(`\n${text}\n`);
  process.exit(1);
}
