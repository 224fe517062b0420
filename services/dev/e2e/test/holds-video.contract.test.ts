import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseCatalog } from "@uag/catalog/parse";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import type { Model, Upstream } from "@uag/catalog/types";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import { setFault } from "@uag/harness/fleet/faults";
import { seededRandom } from "@uag/harness/testing/seeded-random";
import { providerSettings } from "@uag/local/providers";
import { readJsonObject } from "@uag/pipeline/request/body";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { Pricing } from "@uag/proto/metering/v1/usage.ts";
import { adapterFor } from "@uag/providers/registry";
import type { VideoAdapter, VideoCall, VideoState } from "@uag/providers/video/types";
import { startSimulator } from "@uag/simulator/service";
import { billOf, keptRates, priceOf } from "@uag/video/price";
import { findVideoModel, readVideoRequest, type VideoRequest, videoModelOf } from "@uag/video/request/read";
import { videoEdge } from "./holds/video-requests.ts";

const seed = Number(process.env["HOLDS_SEED"] ?? 1);
const perModel = Number(process.env["HOLDS_REQUESTS"] ?? 4);
const maxTries = 200;
const catalogFile = new URL("../../../../infra/config/catalog.yaml", import.meta.url);
const caller = Caller.fromPartial({ accountId: "a", keyId: "k" });
const guarded = { parse: (text: string): URL => new URL(text), leadsInside: () => false };

type Json = Record<string, unknown>;

async function send({ provider }: Upstream, { method, path, headers = [], body }: VideoCall): Promise<Response> {
  const more = Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : [])));
  return fetch(`${provider.origin}${provider.basePath}${path}`, {
    method,
    headers: { authorization: `Bearer ${provider.apiKey}`, "content-type": "application/json", ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Generates it at the simulated provider; undefined if the provider rejects the request. */
async function make(request: VideoRequest, upstream: Upstream, adapter: VideoAdapter): Promise<VideoState | undefined> {
  const order = { requestId: "r", taskId: "t", body: request.body };
  const created = await send(upstream, adapter.create(order, upstream));
  if (!created.ok) return undefined;
  const id = adapter.createdId((await created.json()) as Json);
  assert.ok(id !== undefined);
  for (;;) {
    const looked = await send(upstream, adapter.poll(id));
    const text = await looked.text();
    const body = text === "" ? {} : (JSON.parse(text) as Json);
    const state = adapter.read({ status: looked.status, body, bytes: text.length }, upstream);
    if (state.phase !== "queued" && state.phase !== "running") return state;
    await sleep(5);
  }
}

test("no video request for any model can cost more than its hold", async (context) => {
  await using simulator = await startSimulator();
  await setFault(simulator.url, { "task-ms": 1 });
  const yaml = await readFile(catalogFile, "utf8");
  const catalog = parseCatalog(yaml, providerSettings(providerEnvironments(yaml), {}, simulator.url));
  const random = seededRandom(seed);
  const clipOf = (seconds: number): string =>
    `${simulator.url}/media/video/0123456789abcdef-1280x720-${seconds * 1_000}ms-sound.mp4?Expires=4000000000&Signature=x`;
  const read = (model: Model): VideoRequest | undefined => {
    const body = Buffer.from(JSON.stringify(videoEdge(model, random, clipOf)));
    try {
      const { fields } = readJsonObject(body);
      return readVideoRequest(fields, findVideoModel(catalog, videoModelOf(fields), caller), guarded);
    } catch (error) {
      if (error instanceof GatewayError && error.httpStatus === 400) return undefined;
      throw error;
    }
  };
  const worst = { ratio: 0, model: "" };
  const silent: string[] = [];
  for (const model of catalog.models.values()) {
    const upstream = model.upstreams[0];
    const adapter = upstream && adapterFor("video", upstream.provider.protocol);
    if (!model.operations.has("videos.generations") || upstream === undefined || adapter === undefined) continue;
    let made = 0;
    for (let tries = 0; tries < maxTries && made < perModel; tries++) {
      const request = read(model);
      if (request === undefined) continue;
      const { terms } = request;
      const held = priceOf(terms, model.price);
      // A request without a price is rejected before it is sent.
      if (held.pricing !== Pricing.EXACT) continue;
      const state = await make(request, upstream, adapter);
      if (state?.phase !== "succeeded") continue;
      made++;
      const { version: priceVersion } = model.price;
      const kept = { rates: keptRates(model.price), terms, priceVersion, holdNanoUsd: held.costNanoUsd };
      const bill = billOf(kept, state.usage);
      const reported = `${model.id} (seed ${seed}) ${JSON.stringify(request.body)}: ${JSON.stringify(state.usage?.raw)}`;
      assert.notEqual(bill.pricing, Pricing.UNPRICED, `unpriced: ${reported}`);
      assert.ok(bill.costNanoUsd <= held.costNanoUsd, `${bill.costNanoUsd} > ${held.costNanoUsd} held: ${reported}`);
      const ratio = Number(bill.costNanoUsd) / Number(held.costNanoUsd);
      if (ratio > worst.ratio) Object.assign(worst, { ratio, model: model.id });
    }
    if (made === 0) silent.push(model.id);
  }
  context.diagnostic(`worst ratio of cost to hold: ${worst.ratio.toFixed(3)}, ${worst.model}`);
  assert.deepEqual(silent, [], "every model made a video");
});
