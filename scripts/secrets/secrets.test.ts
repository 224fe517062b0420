import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { peers } from "@uag/contract/access/rpc";
import { serviceNames } from "@uag/contract/routes";
import { passwordsOf } from "@uag/local/engines/mongo-passwords";
import { mongoAccess } from "@uag/local/engines/mongo-users";
import { repoRoot } from "@uag/local/paths";
import type { z } from "zod";
import { readValues, serviceCharts, toolboxChart } from "../charts/charts.ts";
import { images } from "../image/images.ts";
import { bundledMongo, FleetSecrets } from "./fleet-secrets.ts";
import { externalSecret, extraKeys, secretObject, secretsOf } from "./secret-objects.ts";

const made = new Map(
  (await secretsOf("blue", new FleetSecrets(bundledMongo("blue")))).map(({ name, data }) => [name, data]),
);
const valueIn = (chart: string, key: string): string =>
  made.get(`blue-${chart}`)?.[key] ?? assert.fail(`${chart} ${key}`);

test("every Secret of the charts has all its keys, each valid for its setting", async () => {
  for (const chart of serviceCharts) {
    const entry = images.find(({ service }) => service === chart)?.entries["main"] ?? assert.fail(chart);
    const { schema } = (await import(join(repoRoot, dirname(entry), "config.ts"))) as { schema: z.ZodObject };
    const { secretKeys } = await readValues(chart);
    for (const key of [...(secretKeys as string[]), ...(extraKeys[chart] ?? [])])
      assert.ok(schema.shape[key]?.safeParse(valueIn(chart, key)).success, `${chart} ${key}`);
  }
});

test("values that services share are equal, and no others are", () => {
  assert.equal(valueIn("billing", "KEY_PEPPER"), valueIn("router", "KEY_PEPPER"));
  assert.equal(valueIn("billing", "CONSOLE_ADMIN_TOKEN"), valueIn("console", "CONSOLE_ADMIN_TOKEN"));
  assert.equal(valueIn("billing", "ADMIN_TOKEN"), valueIn(toolboxChart, "ADMIN_TOKEN"));
  const macKeys = serviceNames.map((name) => `${name}:${valueIn(name, "USAGE_MAC_KEY")}`).join();
  assert.equal(valueIn("metering", "USAGE_MAC_KEYS"), macKeys);
  for (const name of serviceNames) assert.equal(valueIn(name, "ANSWER_KEY"), valueIn("chat", "ANSWER_KEY"));
  const shared = new Set(["KEY_PEPPER", "CONSOLE_ADMIN_TOKEN", "ADMIN_TOKEN", "ANSWER_KEY"]);
  const others = [...made.values()].flatMap((data) => Object.entries(data).filter(([key]) => !shared.has(key)));
  assert.equal(new Set(others.map(([, value]) => value)).size, others.length);
});

test("the engines get the passwords of the services' own Secrets", () => {
  const mongo = passwordsOf(valueIn("mongodb", "passwords.json"));
  const conf = valueIn("nats", "passwords.conf");
  for (const peer of peers) {
    const chart = peer === "operator" ? toolboxChart : peer;
    if (peer in mongoAccess && peer !== "operator")
      assert.equal(new URL(valueIn(chart, "MONGODB_URL").replaceAll(/,[^/]*/g, "")).password, mongo[peer], peer);
    if (peer !== "auditor") assert.ok(conf.includes(`password_${peer}: "${valueIn(chart, "NATS_PASSWORD")}"`), peer);
  }
});

test("an ExternalSecret has no value", () => {
  for (const [name, data] of made) {
    const text = JSON.stringify(externalSecret({ name, data }, { namespace: "n", store: "s" }));
    for (const value of Object.values(data)) assert.ok(!text.includes(value), name);
    assert.ok(JSON.stringify(secretObject({ name, data }, { namespace: "n" })).includes("stringData"));
  }
});
