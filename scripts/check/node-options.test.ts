import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { repoRoot } from "@uag/local/paths";
import { nodeOptions } from "@uag/local/service-processes";

const read = (path: string): Promise<string> => readFile(join(repoRoot, path), "utf8");

test("images and systemd units run services with the options of the local fleet", async () => {
  const entrypoint = ["node", ...nodeOptions, "main.js"].map((word) => JSON.stringify(word)).join(", ");
  assert.ok((await read("infra/Dockerfile")).includes(`ENTRYPOINT [${entrypoint}]`));
  const command = ["/bin/node", ...nodeOptions, "main.js"].join(" ");
  assert.ok((await read("infra/systemd/uag@.service")).includes(command));
});
