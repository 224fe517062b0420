import { setTimeout as sleep } from "node:timers/promises";
import type { FollowedCatalog } from "@uag/catalog/store";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import {
  type ProviderTestServiceServer,
  ProviderTestServiceService,
  type TestProviderRequest,
  type TestProviderResponse,
} from "@uag/proto/capability/v1/provider_test.ts";
import type { Logger } from "@uag/runtime/log";
import { type RpcService, unaryService } from "@uag/runtime/rpc/server";
import type { TestContext } from "./call.ts";
import { testProvider } from "./run.ts";

/** Of a whole test; its caller waits longer. */
const maxMs = 45_000;
/** A change is in force within a second, unless it cannot be read. */
const maxWaitMs = 4_000;
const pollMs = 50;
/** Tests in progress in this process: an operator runs one at a time. */
const maxAtOnce = 4;

type Followed = Pick<FollowedCatalog, "current" | "readWithDisabled">;

/** Waits for a version of the operators' changes. @throws {GatewayError} `service_unavailable` */
async function awaitVersion(catalog: Followed, version: bigint): Promise<void> {
  for (let waitedMs = 0; BigInt(catalog.current.overlayVersion) < version; waitedMs += pollMs) {
    if (waitedMs >= maxWaitMs)
      throw new GatewayError("service_unavailable", "The last change is not in force yet. Test again in a moment.");
    await sleep(pollMs);
  }
}

/** `ProviderTestService`: tests providers with this process's environment, network and catalogue. */
export function providerTestRpc(catalog: Followed, context: TestContext & { readonly log: Logger }): RpcService {
  let running = 0;
  const test = async (request: TestProviderRequest): Promise<TestProviderResponse> => {
    await awaitVersion(catalog, request.overlayVersion);
    const catalogs = { current: catalog.current, all: catalog.readWithDisabled() };
    return await testProvider(context, catalogs, { request, signal: AbortSignal.timeout(maxMs) });
  };
  return unaryService<ProviderTestServiceServer>(
    ProviderTestServiceService,
    {
      async testProvider(request) {
        if (running >= maxAtOnce)
          throw new GatewayError("service_unavailable", "Too many providers are being tested. Test again in a moment.");
        running++;
        try {
          return await test(request);
        } finally {
          running--;
        }
      },
    },
    context.log,
  );
}
