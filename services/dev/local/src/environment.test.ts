import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type EnvironmentOptions, environmentOf } from "./environment.ts";
import { Ports } from "./ports.ts";

test("EGRESS_ALLOW of npm start adds to the simulator's address", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "environment-"));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  using ports = await Ports.load(join(dataDir, "ports.json"));
  const simulator = `127.0.0.1:${await ports.get("simulator.PORT")}`;
  const allowedWith = async (egressAllow: string | undefined): Promise<string> => {
    const engines = { settingsFor: () => ({}) } as unknown as EnvironmentOptions["engines"];
    const secrets = { engines: "secret" } as unknown as EnvironmentOptions["secrets"];
    const parts = { dataDir, port: 1, balancerAdminPort: undefined, ports, engines, secrets, replicas: {}, env: {} };
    return (await environmentOf({ ...parts, egressAllow })).egressAllow;
  };
  assert.equal(await allowedWith(undefined), simulator);
  assert.equal(await allowedWith("127.0.0.1:9"), `${simulator},127.0.0.1:9`);
});
