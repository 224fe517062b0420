// Installs the packages when the lockfile has changed since they were last installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "../../services/dev/local/src/terminal/lock.mjs";
import { diskFull, step, UserError } from "../../services/dev/local/src/terminal/step.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));

const stampFile = join(root, "node_modules/.installed");
const noNetwork =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|META_FETCH_FAIL/;

async function wantedStamp(packageManager) {
  const lockfile = await readFile(join(root, "pnpm-lock.yaml"));
  return createHash("sha256")
    .update(`${packageManager} ${process.platform}-${process.arch}\n`)
    .update(lockfile)
    .digest("hex");
}

async function isInstalled(stamp) {
  return (await readFile(stampFile, "utf8").catch(() => "")) === stamp;
}

function adviceFor(output) {
  if (noNetwork.test(output)) {
    return "The npm registry is unreachable. Check the network, and `npm config get registry` and `npm config get proxy`, then run the command again.";
  }
  if (/ENOSPC/.test(output)) return diskFull;
  if (/EACCES|EPERM/.test(output)) {
    return `A file could not be written. Check that this user owns ${root} and ~/.npm, then run the command again.`;
  }
  return `pnpm could not install the packages. Its output:\n\n${output.trim().split("\n").slice(-20).join("\n")}`;
}

/** Runs pnpm; `progress` sees "120 of 178 packages". */
function install(packageManager, progress) {
  return new Promise((resolve, reject) => {
    const args = ["--yes", packageManager, "install", "--frozen-lockfile", "--reporter=append-only"];
    // CI: pnpm replaces node_modules without a prompt.
    const child = spawn("npx", args, {
      cwd: root,
      env: { ...process.env, CI: "true" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const collect = (chunk) => {
      output += chunk;
      const [, resolved, added] = /.*resolved (\d+).*added (\d+)/.exec(String(chunk)) ?? [];
      if (resolved !== undefined) progress(`${added} of ${resolved} packages`);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", (error) =>
      reject(
        error.code === "ENOENT"
          ? new UserError(
              "npx, which is part of npm, was not found. Install npm (on Debian: apt-get install npm), then run the command again.",
            )
          : error,
      ),
    );
    child.on("close", (code) => (code === 0 ? resolve() : reject(new UserError(adviceFor(output)))));
  });
}

/** Updates node_modules to the lockfile. Prints nothing if it is already up to date. */
export async function ensureInstalled() {
  const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const stamp = await wantedStamp(packageManager);
  if (await isInstalled(stamp)) return;
  await withLock(join(root, ".data/install.lock"), async () => {
    if (await isInstalled(stamp)) return;
    const name = packageManager.replace("@", " ");
    await step(`Installing packages with ${name}`, (progress) => install(packageManager, progress));
    await writeFile(stampFile, stamp);
  });
}
