// Puts Node 24 in the place of the packaged Node 26 where that one does not run: it is linked against libatomic, which a
// bare Debian lacks.
import { execFile, spawnSync } from "node:child_process";
import { access, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Advice, step } from "./step.mjs";

const nodePackage = `node-${process.platform}-${process.arch}`;

/** What a Node says against running; empty when it runs. */
function whyNot(node) {
  const { status, stderr, error } = spawnSync(node, ["--version"], { encoding: "utf8" });
  return status === 0 ? "" : (stderr ?? "").trim() || (error?.message ?? `it ended with ${status}`);
}

/** Fetches the Node of scripts/fallback-node, which a lockfile pins, into `dir`. */
async function fetchNode(root, dir) {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    await copyFile(join(root, "scripts/fallback-node", file), join(dir, file));
  }
  // The Node that runs this, in front of the one that does not run.
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { cwd: dir, env });
  return join(dir, "node_modules", nodePackage, "bin/node");
}

async function replaceNode(root, packaged) {
  const dir = join(root, ".data/fallback-node");
  // npm puts this one in front of the machine's, for every script.
  await rm(join(root, "node_modules/.bin/node"), { force: true });
  try {
    const node = await fetchNode(root, dir);
    // Not written over: the file is shared with pnpm's store.
    await rm(packaged, { force: true });
    await rename(node, packaged);
  } catch (error) {
    throw new Advice(
      `Node 24 could not be installed: ${error.message}\n\n` +
        "Install what Node 26 lacks (on Debian: apt-get install libatomic1), or mend what npm says, then run the command again.",
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Makes sure that the packaged Node runs on this machine. @throws {Advice} when it does not and no other can be had */
export async function mendNode(root) {
  const folder = join(root, "node_modules", nodePackage);
  const packaged = join(folder, "bin/node");
  const isPackaged = await access(folder).then(
    () => true,
    () => false,
  );
  const reason = isPackaged ? whyNot(packaged) : "";
  if (reason === "") return;
  await step(`Installing Node 24, as Node 26 does not run here (${reason})`, () => replaceNode(root, packaged));
}
