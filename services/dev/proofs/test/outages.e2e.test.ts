import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { proveExactFunds } from "../src/soak/exact-funds.ts";
import { proveExactLevels } from "../src/soak/exact-levels.ts";
import { type Figures, isClean, showFigures } from "../src/soak/figures.ts";
import { type Proof, startProofFleet } from "../src/soak/proof.ts";
import { proofs } from "../src/soak/proofs.ts";

describe("three replicas under load, tested through the public server", () => {
  let fleet: TestFleet;
  const resources = new AsyncDisposableStack();
  const random = seededRandom(1);

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "outages-"));
    resources.defer(() => rm(dataDir, { recursive: true, force: true }));
    // A short lease, so that grants run out within the outage.
    fleet = resources.use(await startProofFleet(dataDir, { env: { HOLDER_LEASE_MS: "2000", ACK_WAIT_MS: "1500" } }));
  });
  after(() => resources.disposeAsync());

  function assertClean(title: string, figures: Figures): void {
    assert.ok(isClean(figures), showFigures(title, figures));
  }

  async function prove(name: string, seconds: number): Promise<void> {
    const proof = proofs.find((one) => one.name === name) as Proof;
    assertClean(name, await proof.run({ fleet, seconds, random, perSecond: 50 }));
  }

  test("of 1,000 concurrent requests exactly as many succeed as the balance covers, and the balance is then zero", async () => {
    assertClean("exact funds", await proveExactFunds({ fleet, random }, [7, 250]));
  });

  test("of 1,000 concurrent requests exactly as many succeed as an organization or an envelope above their keys covers", async () => {
    assertClean("exact levels", await proveExactLevels({ fleet, random }, [50]));
  });

  test("an outage of NATS with a loss of its store fails no request and loses no bill", () => prove("stream-wiped", 3));

  test("an outage of metering fails no request, and its backlog is settled after its return", () =>
    prove("metering-down", 5));

  test("a full disk of the journals causes only 503s, and nothing is lost or duplicated", () => prove("disk-full", 14));

  test("an outage of MongoDB until grants run out causes 503 with retry-after, never 402", () =>
    prove("mongod-down", 6));

  test("each idempotency key gets its response and is charged once although MongoDB is killed repeatedly", () =>
    prove("keyed-runs", 8));
});
