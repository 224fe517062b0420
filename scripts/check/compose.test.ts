import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { peers } from "@uag/contract/access/rpc";
import { serviceNames } from "@uag/contract/routes";
import { repoRoot } from "@uag/local/paths";
import { defaultTrustDomain, peerIn } from "@uag/runtime/rpc/peer";

const missing =
  process.getuid?.() !== 0 || spawnSync("openssl", ["version"]).status !== 0 ? "needs root and openssl" : false;

test("the compose file has a certificate for every peer, and distinct secrets", {
  skip: missing,
}, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "compose-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const script = join(repoRoot, "infra/compose/identity.sh");
  const made = spawnSync("sh", ["-c", `mkdir identity journals && sh ${script} ${dir}/identity ${dir}/journals`], {
    cwd: dir,
    encoding: "utf8",
  });
  assert.equal(made.status, 0, made.stderr);
  const read = (name: string): Promise<string> => readFile(join(dir, "identity", name), "utf8");
  const authority = new X509Certificate(await read("ca.crt"));
  for (const peer of peers) {
    const certificate = new X509Certificate(await read(`${peer}.crt`));
    assert.deepEqual(peerIn(certificate.subjectAltName), { trustDomain: defaultTrustDomain, peer });
    assert.ok(certificate.verify(authority.publicKey), peer);
    assert.ok(certificate.checkPrivateKey(createPrivateKey(await read(`${peer}.key`))), peer);
  }
  const keys = (await read("secrets/USAGE_MAC_KEYS")).trim().split(",");
  assert.deepEqual(keys.map((each) => each.split(":")[0]).sort(), [...serviceNames].sort());
  for (const each of keys) {
    const [service, key] = each.split(":");
    assert.equal((await read(`secrets/USAGE_MAC_KEY.${service}`)).trim(), key);
  }
  assert.notEqual(await read("secrets/KEY_PEPPER"), await read("secrets/ADMIN_TOKEN"));
});
