import assert from "node:assert/strict";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { type Backend, startBackend } from "@uag/harness/backend";
import { replica } from "@uag/harness/replica";
import { waitFor } from "@uag/harness/testing/wait-for";
import { request, settlement, taskBill, taskOf } from "./harness.ts";

const usd = 1_000_000_000n;
const publish = { gatherMs: 20, confirmMs: 50 };

describe("a holder that billing fences", () => {
  let backend: Backend;
  const resources = new AsyncDisposableStack();

  before(async () => {
    backend = resources.use(await startBackend({ HOLDER_LEASE_MS: "900", ORPHAN_GRACE_MS: "600000" }));
  });
  after(() => resources.disposeAsync());

  /** The holders that currently have a journal. */
  const holders = async (): Promise<string[]> =>
    (await readdir(backend.journalDir)).flatMap((name) => (name.includes("@") ? [name.split("@")[0] as string] : []));

  test("loses no bill of a task: bills acknowledged during its retirement are charged", async () => {
    const accountId = await backend.account(1_000n * usd);
    await using only = await replica(backend.env, { publish });
    const settled = new Set<string>();
    let stop = false;
    const fencing = (async () => {
      while (!stop) {
        const before = settled.size;
        await backend.fence(await holders());
        await sleep(350);
        // On a slow machine a holder would be fenced before it has opened, and so for ever.
        await waitFor(() => stop || settled.size > before, { what: "bills after a fence" });
      }
    })();
    const settle = async (worker: number): Promise<void> => {
      for (let n = 0; n < 40; n++) {
        const task = { ...taskOf(accountId, `f${worker}-${n}`, usd / 1_000n), holdNanoUsd: 0n };
        for (;;) {
          try {
            await only.settleTask(taskBill(task, "", 1_000n));
            break;
          } catch (error) {
            assert.ok(error instanceof GatewayError && error.code === "service_unavailable", String(error));
            await sleep(20);
          }
        }
        settled.add(task.requestId);
        await sleep(Math.random() * 20);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, worker) => settle(worker)));
    stop = true;
    await fencing;
    const billed = async (): Promise<Set<string>> =>
      new Set((await backend.events(accountId)).map(({ requestId }) => requestId));
    await waitFor(async () => (await billed()).size >= settled.size, { what: "all bills" }).catch(() => undefined);
    const arrived = await billed();
    assert.deepEqual(
      [...settled].filter((id) => !arrived.has(id)),
      [],
    );
  });

  test("is succeeded once the disk allows it: until then requests get 503 and the process is unready, then requests continue", async () => {
    const accountId = await backend.account(usd);
    await using only = await replica(backend.env, { publish });
    await (await only.admit(request(accountId, "before", 1_000n))).settle(settlement(10n));
    const away = `${backend.journalDir}.away`;
    const fenced = await holders();
    await rename(backend.journalDir, away);
    await writeFile(backend.journalDir, "in the way");
    await backend.fence(fenced);
    await waitFor(async () => !(await only.check()).ok, { what: "not ready" });
    const refused = await only.admit(request(accountId, "meanwhile", 1_000n)).catch((error: unknown) => error);
    assert.ok(refused instanceof GatewayError && refused.httpStatus === 503 && refused.retryAfterMs);
    assert.equal((await only.alive()).ok, true, "for less than a minute");
    await sleep(1_000);
    await rm(backend.journalDir);
    await rename(away, backend.journalDir);
    await waitFor(async () => (await only.check()).ok, { what: "ready again" });
    await (await only.admit(request(accountId, "after", 1_000n))).settle(settlement(10n));
    await waitFor(async () => (await backend.events(accountId)).length === 2, { what: "both bills" });
  });

  test("returns unspent money at once, including that of its last requests, so that no other request is refused for lack of it", async () => {
    const accountId = await backend.account(100_000n);
    await using only = await replica(backend.env, { publish, idleMs: 60_000 });
    const open = await only.admit(request(accountId, "open", 1_000n));
    const held = await holders();
    await using other = await replica(backend.env, { publish });
    const known = new Set(await holders());
    await backend.fence(held);
    await waitFor(async () => (await holders()).some((id) => !known.has(id)), { what: "its successor" });
    const back = async (nanoUsd: bigint): Promise<void> => {
      const available = async () => (await backend.accounts.getAccount({ id: accountId })).availableNanoUsd;
      await waitFor(async () => (await available()) === nanoUsd, { what: `${nanoUsd} back` });
    };
    await back(99_000n);
    await (await other.admit(request(accountId, "all", 99_000n))).settle(settlement(99_000n));
    await open.settle(settlement(0n));
    await back(1_000n);
  });
});
