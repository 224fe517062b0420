import assert from "node:assert/strict";
import { access, glob, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { withTemporaryDir } from "@uag/harness/fleet/temporary-dir";
import { runTool } from "@uag/local/engines/run-tool";
import { repoRoot as root } from "@uag/local/paths";
import { nodeOptions } from "@uag/local/service-processes";
import { assemble } from "./assemble.ts";
import { findHadolint } from "./hadolint.ts";
import { images } from "./images.ts";

interface Bom {
  readonly components: readonly { readonly purl: string; readonly hashes?: readonly { readonly alg: string }[] }[];
}

const dockerfile = join(root, "infra/Dockerfile");

/**
 * Runs a program without valid settings: what it prints proves that every module was found and run.
 * The simulator requires no setting, so it gets an invalid one.
 */
async function startWithout(dir: string, program = "main.js"): Promise<string> {
  const env = { PATH: process.env["PATH"], PORT: "none" };
  return (await runTool(process.execPath, [program], { cwd: dir, env })).output;
}

const importThreads = `
import { glob, readFile } from "node:fs/promises";
const threads = new Set();
for await (const file of glob("*.js"))
  for (const [, name] of (await readFile(file, "utf8")).matchAll(/new URL\\("([^"/]+\\.js)", import\\.meta\\.url\\)/g)) threads.add(name);
for (const name of threads)
  await import(process.cwd() + "/" + name).catch(({ code, message }) => {
    if (code === "ERR_MODULE_NOT_FOUND") console.log(message);
  });
console.log(threads.size + " threads");
process.exit();
`;

/** Imports the programs of an image's worker threads; returns the modules that they lack, and how many programs there are. */
async function importThreadsOf(dir: string): Promise<string> {
  const env = { PATH: process.env["PATH"] };
  return (await runTool(process.execPath, ["--input-type=module", "--eval", importThreads], { cwd: dir, env })).output;
}

/** Files that are read on request, so that a start does not detect a missing one. */
const readLater: Readonly<Record<string, string>> = {
  router: "gateway/src/docs/**/*.{html,css,js,md}",
  simulator: "services/dev/simulator/fixtures/*",
};

async function hasFiles(home: string, pattern: string): Promise<void> {
  for await (const file of glob(pattern, { cwd: root })) await access(join(home, file));
}

test("each service's image runs standalone, and its bill of materials lists copied and bundled packages by their checksums", async () => {
  await withTemporaryDir(async (dir) => {
    let threads = 0;
    for (const image of images) {
      const home = join(dir, image.service);
      await assemble(image, root, home);
      // The toolbox requires no setting: its process waits for `kubectl exec`.
      if (image.service === "toolbox") assert.match(await startWithout(home, "uag.js"), /^uag .*<command>/);
      else assert.match(await startWithout(home), /(^|Error: )Invalid settings:/, image.service);
      const imported = await importThreadsOf(home);
      assert.match(imported, /^\d+ threads\n$/, image.service);
      threads += Number.parseInt(imported, 10);
      const { components } = JSON.parse(await readFile(join(home, "bom.json"), "utf8")) as Bom;
      for (const name of ["zod", ...Object.keys(image.packages)]) {
        const purl = `pkg:npm/${name.replace("@", "%40")}@`;
        assert.ok(
          components.some((part) => part.purl.startsWith(purl)),
          `${image.service} has no ${name}`,
        );
      }
      for (const { purl, hashes } of components) assert.equal(hashes?.[0]?.alg, "SHA-512", purl);
      const later = readLater[image.service];
      if (later !== undefined) await hasFiles(home, later);
      await rm(home, { recursive: true });
    }
    assert.ok(threads > 0);
  });
});

test("containers and units use the fleet's V8 options and run unprivileged", async () => {
  const lines = (await readFile(dockerfile, "utf8")).trim().split("\n");
  const command = JSON.parse((lines.at(-1) ?? "").replace("ENTRYPOINT ", "")) as string[];
  assert.deepEqual(command, ["node", ...nodeOptions, "main.js"]);
  assert.ok(lines.includes("USER 65532:65532"));
  const unit = await readFile(join(root, "infra/systemd/uag@.service"), "utf8");
  assert.ok(unit.includes(`/bin/${command.join(" ")}\n`), "the systemd unit has the same command");
});

test("hadolint reports no problem of the Dockerfiles", async () => {
  const { code, output } = await runTool(await findHadolint(), [
    dockerfile,
    join(root, "infra/image/engines.Dockerfile"),
  ]);
  assert.equal(code, 0, output);
});
