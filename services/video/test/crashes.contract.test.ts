import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Backend, startBackend } from "@uag/harness/backend";
import { replica as admissionReplica } from "@uag/harness/replica";
import { scratchDatabase } from "@uag/harness/scratch-database";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type KeyServiceServer, KeyServiceService } from "@uag/proto/billing/v1/keys.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { createRpcClient } from "@uag/runtime/rpc/client";
import { insecure } from "@uag/runtime/rpc/identity";
import { startProvider, type TestProvider } from "./provider.ts";
import type { Begin, Stop } from "./replica-process.ts";
import { startReplica } from "./support.ts";

interface View {
  readonly status: string;
  readonly error?: { readonly message: string };
}

/** What the submitted video costs, nano-USD. */
const price = 500_000_000n;

/** Kills the process at one point of its submission; resolves once it has exited. */
type Killing = (child: ChildProcess, provider: TestProvider) => Promise<unknown>;

const whenStopped: Killing = async (child) => {
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
};

const beforeResponse: Killing = async (child, provider) => {
  provider.create = "hang";
  provider.onMade = () => child.kill("SIGKILL");
  await once(child, "exit");
};

/** The response reaches the process's socket and is never read. */
const beforeTheIdIsStored: Killing = async (child, provider) => {
  provider.onMade = () => {
    child.kill("SIGSTOP");
    setTimeout(() => child.kill("SIGKILL"), 50);
  };
  await once(child, "exit");
};

interface Point {
  readonly title: string;
  readonly stop: Stop;
  readonly kill: Killing;
  readonly status: "succeeded" | "failed";
}

const points: readonly Point[] = [
  { title: "before its hold is requested", stop: "before the hold", kill: whenStopped, status: "failed" },
  { title: "before the provider is asked", stop: "after the hold", kill: whenStopped, status: "failed" },
  { title: "before the provider responds", stop: "never", kill: beforeResponse, status: "succeeded" },
  { title: "before the provider's id is stored", stop: "never", kill: beforeTheIdIsStored, status: "succeeded" },
];

/** Where a task's money comes from. The balance and the budget cover one video each. */
const funds = [
  { title: "an account with money to spare", balance: 10n * price, budget: 0n },
  { title: "an account whose balance covers one video", balance: price, budget: 0n },
  { title: "a key whose monthly budget covers one video", balance: 10n * price, budget: price },
] as const;

describe("video submissions of killed processes", () => {
  let backend: Backend;
  const resources = new AsyncDisposableStack();

  before(async () => {
    backend = resources.use(await startBackend());
  });
  after(() => resources.disposeAsync());

  async function callerWith({ balance, budget }: (typeof funds)[number]): Promise<Caller> {
    const accountId = await backend.account(balance);
    const limits = { requestsPerMinute: 0n, tokensPerMinute: 0n, concurrentRequests: 0n, monthlyBudgetNanoUsd: budget };
    using keys = createRpcClient<KeyServiceServer>(KeyServiceService, backend.env["BILLING"] as string, insecure);
    const { key } = await keys.createKey({ accountId, name: "", models: [], expiresAtMs: 0n, limits } as never);
    return Caller.fromPartial({ accountId, keyId: key?.id as string, limits });
  }

  for (const source of funds) {
    for (const { title, stop, kill, status } of points) {
      test(`settles a submission once when its process is killed ${title}, charged to ${source.title}`, async () => {
        await using at = scratchDatabase();
        await using provider = await startProvider();
        const caller = await callerWith(source);
        const { accountId } = caller;
        const requestId = `req_${accountId}`;
        const child = fork(join(import.meta.dirname, "replica-process.ts"));
        const begin: Begin = {
          at: { url: at.url, database: at.database },
          provider: provider.url,
          requestId,
          backend: backend.env,
          caller: Buffer.from(Caller.encode(caller).finish()).toString("base64"),
          stop,
        };
        child.send(begin);
        await kill(child, provider);
        assert.equal(child.signalCode, "SIGKILL");
        provider.create = "ok";
        await using admission = await admissionReplica(backend.env, { publish: { gatherMs: 20, confirmMs: 50 } });
        await using replica = await startReplica({ at, books: { admission }, providers: [provider.url] });
        for (const task of provider.tasks.values()) task.word = "SUCCEEDED";
        const tasks = async (): Promise<View[]> => {
          const listed = await replica.call("videos.list", undefined, { caller });
          return listed.json<{ data: View[] }>().data;
        };
        await waitFor(async () => (await tasks()).every((task) => task.status === status), { what: "the end" });
        const [task, ...others] = await tasks();
        assert.deepEqual(others, []);
        if (status === "failed") assert.match(task?.error?.message ?? "", /It was not charged/);
        await waitFor(async () => (await backend.events(accountId)).length > 0, { what: "the bill" });
        const cost = status === "succeeded" ? price : 0n;
        const events = await backend.events(accountId);
        assert.deepEqual(
          events.map((event) => [event.requestId, event.costNanoUsd]),
          [[requestId, cost]],
        );
        assert.notEqual(events[0]?.grantId, "");
        const money = await backend.accounts.getAccount({ id: accountId });
        assert.deepEqual(
          [money.availableNanoUsd, money.heldNanoUsd, money.chargedNanoUsd],
          [source.balance - cost, 0n, cost],
        );
        assert.equal(provider.tasks.size, status === "succeeded" ? 1 : 0);
        assert.deepEqual((await backend.ledger.audit({})).violations, []);
      });
    }
  }
});
