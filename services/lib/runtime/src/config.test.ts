import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { natsOptions } from "./bus.ts";
import { ConfigError, readConfig } from "./config.ts";

const schema = z.object({ SECRET: z.string().min(3), CERT_FILE: z.string().optional() });

test("any setting can be in a file; an unreadable file or a setting given twice aborts the start", async () => {
  const dir = await mkdtemp(join(tmpdir(), "config-"));
  const file = join(dir, "secret");
  await writeFile(file, "from the file\n");
  try {
    assert.deepEqual(readConfig(schema, { SECRET_FILE: file }), { SECRET: "from the file" });
    assert.deepEqual(readConfig(schema, { SECRET: "abc", SECRET_FILE: "" }), { SECRET: "abc" });
    assert.deepEqual(readConfig(schema, { SECRET: "abc", CERT_FILE: file }), { SECRET: "abc", CERT_FILE: file });
    assert.throws(() => readConfig(schema, { SECRET: "abc", SECRET_FILE: file }), /SECRET and SECRET_FILE/);
    assert.throws(() => readConfig(schema, { SECRET_FILE: join(dir, "none") }), /SECRET_FILE cannot be read: ENOENT/);
    await writeFile(file, "x\n");
    assert.throws(() => readConfig(schema, { SECRET_FILE: file }), ConfigError);
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("names an invalid setting with what it must be, and without its value", () => {
  const numbers = z.object({ PORT: z.coerce.number().int(), NEEDED: z.string() });
  assert.throws(
    () => readConfig(numbers, { PORT: "abc" }),
    new ConfigError("Invalid settings:\n  PORT: must be a number\n  NEEDED: is required"),
  );
});

test("connects to NATS as the user in the URL or the settings, with TLS when a CA, a certificate or tls: is configured", () => {
  const plain = natsOptions({ NATS_URL: "nats://a:p%40ss@one:4222,two:4223" });
  assert.deepEqual(plain, {
    servers: ["one:4222", "two:4223"],
    user: "a",
    pass: "p@ss",
    inboxPrefix: "_INBOX.a",
    tls: null,
  });
  assert.deepEqual(natsOptions({ NATS_URL: "tls://one:4222" }), { servers: ["one:4222"], tls: {} });
  const named = natsOptions({ NATS_URL: "nats://one:4222", NATS_USER: "b", NATS_PASSWORD: "x", NATS_CA_FILE: "/ca" });
  const user = { user: "b", pass: "x", inboxPrefix: "_INBOX.b" };
  assert.deepEqual(named, { servers: ["one:4222"], ...user, tls: { caFile: "/ca" } });
});
