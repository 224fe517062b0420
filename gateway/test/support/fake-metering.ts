import { GatewayError } from "@uag/contract/errors/gateway-error";
import {
  type ListEventsResponse,
  type MeteringServiceServer,
  MeteringServiceService,
  type QueryUsageRequest,
  type UsageBucket,
} from "@uag/proto/metering/v1/metering.ts";
import { createLogger } from "@uag/runtime/log";
import { insecure } from "@uag/runtime/rpc/identity";
import { type RpcServer, serveRpc, unaryService } from "@uag/runtime/rpc/server";

const dayMs = 86_400_000;

function bucket(day: number, model: string, costNanoUsd: bigint): UsageBucket {
  const startMs = BigInt(day * dayMs);
  return { startMs, accountId: "acc_1", keyId: "", model, operation: "", requests: 1n, costNanoUsd, units: [] };
}

/** Metering's usage query over real gRPC: three buckets on two pages. */
export async function startFakeMetering(): Promise<{ address: string; received: QueryUsageRequest[] } & RpcServer> {
  const received: QueryUsageRequest[] = [];
  const server = await serveRpc({
    identity: insecure,
    host: "127.0.0.1",
    port: 0,
    services: [
      unaryService<MeteringServiceServer>(
        MeteringServiceService,
        {
          async queryUsage(request) {
            received.push(request);
            if (request.page?.cursor === "more") return { buckets: [bucket(20_000, "b", 5_000_000n)], nextCursor: "" };
            const buckets = [bucket(20_001, "a", 20_000_000n), bucket(20_000, "a", 10_000_000n)];
            return { buckets, nextCursor: "more" };
          },
          confirmApplied: async () => ({ applied: [] }),
          listEvents: async (): Promise<ListEventsResponse> => ({ events: [], nextCursor: "" }),
          findEvents: async () => ({ events: [] }),
          getEvent: async () => Promise.reject(new GatewayError("not_found")),
          querySeries: async () => ({ groups: [], fromMs: 0n, untilMs: 0n }),
          listKeyUse: async () => ({ keys: [] }),
          sumLastMonth: async () => ({ models: [] }),
        },
        createLogger({ service: "fake-metering", level: "silent" }),
      ),
    ],
  });
  return {
    address: `127.0.0.1:${server.port}`,
    received,
    port: server.port,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
