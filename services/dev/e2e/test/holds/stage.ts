import { readFile } from "node:fs/promises";
import { parseCatalog } from "@uag/catalog/parse";
import { providerEnvironments } from "@uag/catalog/provider-environment";
import type { Catalog } from "@uag/catalog/types";
import { chatContext } from "@uag/chat/context";
import { operations as chat } from "@uag/chat/operations";
import { operations as embedding } from "@uag/embedding/operations";
import type { Booked } from "@uag/harness/admission";
import { type ReceivedResponse, startOperations } from "@uag/harness/start-operations";
import { waitFor } from "@uag/harness/testing/wait-for";
import { providerSettings } from "@uag/local/providers";
import { operations as media } from "@uag/media/operations";
import { type DrainLimits, Drains } from "@uag/providers/disconnect/drains";
import { createAudioFetcher } from "@uag/providers/speech/fetch";
import { type Simulator, startSimulator } from "@uag/simulator/service";
import { Mp3Encoders } from "@uag/speech/audio/mp3-encoders";
import { operations as speech } from "@uag/speech/operations";

interface BilledCall extends Pick<ReceivedResponse, "status" | "text" | "headers"> {
  /** The request's hold and cost; undefined if it was rejected before. */
  readonly booked: Booked | undefined;
}

/**
 * All operations that are billed per request, in front of the simulator, with the real catalogue
 * and an admission that only records.
 */
export interface Stage extends AsyncDisposable {
  readonly catalog: Catalog;
  readonly simulator: Simulator;
  call(
    operation: string,
    body: Buffer,
    contentType?: string,
    headers?: readonly string[],
    target?: string,
  ): Promise<BilledCall>;
  /** Disconnects after this many bytes of the response, and waits for the bill. */
  leave(operation: string, body: Buffer, afterBytes: number): Promise<Booked>;
}

const catalogFile = new URL("../../../../../infra/config/catalog.yaml", import.meta.url);

/** @param drains limits of the calls that are read after their clients disconnect */
export async function openStage(drains: Partial<DrainLimits> = {}): Promise<Stage> {
  await using opening = new AsyncDisposableStack();
  const simulator = opening.use(await startSimulator());
  const catalog = await readFile(catalogFile, "utf8");
  const env = providerSettings(providerEnvironments(catalog), {}, simulator.url);
  const assets = { host: async () => ({ url: "https://door.test/1", size: 0, expiresAtMs: 0 }) };
  const harness = opening.use(
    await startOperations({
      catalog,
      env,
      egressAllow: [new URL(simulator.url).host],
      operations: (context, resources) => ({
        ...chat(chatContext({ ...context, drains: resources.use(new Drains(drains)) })),
        ...media({ ...context, assets }),
        ...embedding(context, { partsAtOnce: 4 }),
        ...speech({
          ...context,
          encoders: resources.use(new Mp3Encoders(1)),
          audio: createAudioFetcher(context.guarded),
          maxCharacters: 100_000,
        }),
      }),
    }),
  );
  const running = opening.move();
  return {
    catalog: parseCatalog(catalog, env),
    simulator,
    async call(operation, body, contentType = "application/json", more = [], target = "/") {
      const headers = ["content-type", contentType, "anthropic-version", "2023-06-01", ...more];
      const response = await harness.call(operation, body, { headers, target });
      const { requestId } = response;
      const booked = harness.admission.booked.find(({ request }) => request.requestId === requestId);
      return { ...response, booked };
    },
    async leave(operation, body, afterBytes) {
      const headers = ["content-type", "application/json", "anthropic-version", "2023-06-01"];
      let bytes = 0;
      for await (const chunk of harness.open(operation, body, { headers })) {
        bytes += chunk.length;
        if (bytes >= afterBytes) break;
      }
      const booked = harness.admission.booked.at(-1);
      await waitFor(() => booked?.settlement !== undefined, { what: "the request to be settled", timeoutMs: 20_000 });
      return booked as Booked;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
