import { readFile } from "node:fs/promises";
import type { Admission, AdmitRequest, Admitted, Settlement } from "@uag/admission/types.ts";
import { createContext } from "@uag/capability/context.ts";
import { openLinkListener } from "@uag/capability/link-listener.ts";
import { handlersOf } from "@uag/capability/operation/operation.ts";
import { parseCatalog } from "@uag/catalog/parse.ts";
import { providerEnvironments } from "@uag/catalog/provider-environment.ts";
import type { Catalog } from "@uag/catalog/types.ts";
import { chatContext } from "@uag/chat/context.ts";
import { operations as chat } from "@uag/chat/operations.ts";
import { operations as embedding } from "@uag/embedding/operations.ts";
import { createLogger } from "@uag/kit/log.ts";
import { createMetrics } from "@uag/kit/metrics.ts";
import { insecure } from "@uag/kit/rpc/identity.ts";
import { createLinkClient } from "@uag/link/client.ts";
import { dialGrpc } from "@uag/link/grpc-client.ts";
import { ResponseStream } from "@uag/link/response-stream.ts";
import { createLinkServer } from "@uag/link/server.ts";
import { operations as media } from "@uag/media/operations.ts";
import { Caller } from "@uag/proto/common/v1/caller.ts";
import { type Simulator, startSimulator } from "@uag/simulator/service.ts";
import { Mp3Threads } from "@uag/speech/audio/mp3-threads.ts";
import { operations as speech } from "@uag/speech/operations.ts";
import { createAudioFetcher } from "@uag/upstreams/speech/fetch.ts";
import { providerSettings } from "../../src/providers.ts";

/** One admitted request: what was held for it, and what it came to. */
export interface Booked {
  readonly request: AdmitRequest;
  settlement: Settlement | undefined;
}

export interface BilledCall {
  readonly status: number;
  readonly text: string;
  readonly headers: readonly string[];
  /** Undefined when the request was refused before it was admitted. */
  readonly booked: Booked | undefined;
}

/**
 * All operations that are billed by the request, in front of the simulator, with the real catalogue
 * and an admission that only notes.
 */
export interface Stage extends AsyncDisposable {
  readonly catalog: Catalog;
  readonly simulator: Simulator;
  call(operation: string, body: Buffer, contentType?: string): Promise<BilledCall>;
}

class NotingAdmission implements Admission {
  readonly booked = new Map<string, Booked>();
  readonly check = async () => ({ ok: true as const });

  async admit(request: AdmitRequest): Promise<Admitted> {
    const booked: Booked = { request, settlement: undefined };
    this.booked.set(request.requestId, booked);
    return {
      started: Promise.resolve(),
      clientLeft: () => {},
      headers: [],
      checkpoint: () => {},
      settle: async (settlement) => {
        booked.settlement = settlement;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const catalogFile = new URL("../../../../infra/config/catalog.yaml", import.meta.url);

export async function openStage(): Promise<Stage> {
  await using opening = new AsyncDisposableStack();
  const simulator = opening.use(await startSimulator());
  const yaml = await readFile(catalogFile, "utf8");
  const current = parseCatalog(yaml, providerSettings(providerEnvironments(yaml), {}, simulator.url));
  const admission = new NotingAdmission();
  const log = createLogger({ service: "holds", level: process.env["TEST_LOG"] ?? "silent" });
  const egressAllow = [new URL(simulator.url).host];
  const catalog = { current, [Symbol.dispose]: () => {} };
  const parts = { name: "holds", catalog, admission, log, metrics: createMetrics("holds"), egressAllow };
  const context = opening.use(createContext(parts));
  const threads = opening.use(new Mp3Threads(1));
  const audio = createAudioFetcher(context.guarded);
  const assets = { host: async () => ({ url: "https://door.test/1", size: 0, expiresAtMs: 0 }) };
  const operations = handlersOf({
    ...chat(chatContext(context)),
    ...media({ ...context, assets }),
    ...embedding(context, { partsAtOnce: 4 }),
    ...speech({ ...context, threads, audio, maxCharacters: 100_000 }),
  });
  const link = createLinkServer({ operations, log: (event, { error }) => log.error({ err: error }, event) });
  const listener = opening.use(
    await openLinkListener({ identity: insecure, link, host: "127.0.0.1", port: 0, drainMs: 2_000 }),
  );
  const client = createLinkClient({ dial: dialGrpc(insecure, "chat"), targets: [`127.0.0.1:${listener.port}`] });
  opening.defer(() => client.close({ timeoutMs: 100 }));
  await client.ready();
  let ids = 0;
  const running = opening.move();
  return {
    catalog: current,
    simulator,
    async call(operation, body, contentType = "application/json") {
      const requestId = `req_${++ids}`;
      const call = {
        operation,
        requestId,
        target: "/",
        headers: ["content-type", contentType, "anthropic-version", "2023-06-01"],
        context: Buffer.from(Caller.encode(Caller.fromPartial({ keyId: "k", accountId: "a" })).finish()),
        bodyless: false,
      };
      const stream = ResponseStream.open(client, call, body);
      const { status, headers } = await stream.head;
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return { status, headers, text: Buffer.concat(chunks).toString("utf8"), booked: admission.booked.get(requestId) };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
