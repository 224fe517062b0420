import { randomBytes } from "node:crypto";
import type { TestFleet } from "@uag/harness/fleet/with-fleet";
import { waitFor } from "@uag/harness/testing/wait-for";
import { type Document, Long, MongoClient } from "mongodb";

const listed = 1_000;
/** Events and roll-ups. */
const usageRows = 20_000;
const videos = 100;
/** The hours over which roll-ups are spread. */
const hours = 700;
const hourMs = 3_600_000;
/** A key's list of models, and the longest names in it. */
const modelNames = 100;
const nameLength = 200;

/** What a fleet has after {@link createRecords}. */
export interface Records {
  /** The path of a large hosted file. */
  readonly assetPath: string;
}

/**
 * Fills the lists of a fleet: one record of each kind is made by a request, and copied in the
 * database.
 * @param key of an account with money
 */
export async function createRecords({ run }: TestFleet, key: string): Promise<Records> {
  const models = Array.from({ length: modelNames }, (_, n) => `${n}`.padStart(nameLength, "m"));
  const created = { account_id: run.account_id, key_alias: "k".repeat(nameLength), models };
  const { id: keyId } = await call(`${run.admin_url}/keys`, run.admin.token, created);
  const video = { model: "beta2.7-t2v", duration: 5, resolution: "720p", input: { prompt: "p".repeat(1_000) } };
  await call(`${run.base_url}/v1/videos/generations`, key, video);
  const image = { model: "gamma-image-1", prompt: "a cat", size: "1536x1024", quality: "high", response_format: "url" };
  const { data } = await call(`${run.base_url}/v1/images/generations`, key, image);
  await copyAll(run.mongodb_url, String(keyId));
  const [{ url }] = data as [{ url: string }];
  return { assetPath: new URL(url).pathname };
}

async function call(url: string, bearer: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} responded ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

async function copyAll(mongodbUrl: string, keyId: string): Promise<void> {
  await using client = await MongoClient.connect(mongodbUrl, { ignoreUndefined: true });
  const month = `events_${new Date().toISOString().slice(0, 7).replace("-", "_")}`;
  const copy = async (at: string, filter: Document, count: number, change: (n: number) => Document): Promise<void> => {
    const [database = "", name = ""] = at.split(".");
    const rows = client.db(database).collection<Document & { _id: string }>(name);
    // Values keep their types, such as 64-bit integers.
    const find = () => rows.findOne(filter, { promoteValues: false });
    await waitFor(async () => (await find()) !== null, { what: `a row of ${at}` });
    const row = (await find()) as Document;
    const copies = Array.from({ length: count }, (_, n) => ({ ...row, _id: `${row["_id"]}-${n}`, ...change(n) }));
    await rows.insertMany(copies as (Document & { _id: string })[]);
  };
  await copy("billing.keys", { _id: keyId }, listed, () => ({ digest: randomBytes(32) }));
  await copy("billing.audit_log", { targetId: keyId }, listed, () => ({ seq: undefined }));
  await copy("billing.ledger", {}, listed, (n) => ({ accountId: "copied", seq: Long.fromNumber(n) }));
  const idsOf = (n: number) => ({ ids: [`copied_${n}`], requestId: `copied_${n}`, upstreamId: `copied_${n}` });
  await copy("video.tasks", { live: false, outbox: { $exists: false } }, videos, idsOf);
  await copy(`metering.${month}`, {}, usageRows, () => ({}));
  const startOf = (n: number): Date => new Date(Math.floor(Date.now() / hourMs - (n % hours)) * hourMs);
  await copy("metering.rollups", {}, usageRows, (n) => ({ bucket: "hour", start: startOf(n), keyId: `key_${n}` }));
}
