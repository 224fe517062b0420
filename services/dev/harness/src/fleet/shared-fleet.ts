import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { newAccount } from "./limited-key.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { startTestFleet, type TestFleet } from "./with-fleet.ts";

/** The part of a fleet that a file of tests may use while the fleet serves other files too. */
export interface SharedFleet extends Pick<TestFleet, "audit" | "client" | "dataDir" | "run"> {
  /** Receives webhooks at an address that the fleet may call. */
  readonly receiver: Receiver;
}

const nanoUsd = 100_000_000_000n;
const resources = new AsyncDisposableStack();
let starting: Promise<SharedFleet> | undefined;

async function start(): Promise<SharedFleet> {
  const dataDir = await mkdtemp(join(tmpdir(), "shared-fleet-"));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  const receiver = resources.use(await startReceiver({ refuseEvery: 0 }));
  // A user's own setting, which must not replace the fleet's.
  const fleet = resources.use(await startTestFleet({ dataDir, single: true, egressAllow: receiver.address }));
  return { ...fleet, receiver };
}

/**
 * Opens the fleet that all `*.shared.e2e.test.ts` files in a process use, one file after another:
 * the services of the default fleet in one process, started by the first. `run` and `client` belong to a new account with 100 USD
 * and a key of its own. Stops with the process's last test, and fails then as `startTestFleet` does.
 */
export async function openSharedFleet(): Promise<SharedFleet> {
  starting ??= start();
  const fleet = await starting;
  const { client, key, secret } = await newAccount(fleet, nanoUsd);
  return { ...fleet, client, run: { ...fleet.run, account_id: key.accountId, api_key: secret } };
}

after(() => resources.disposeAsync());
