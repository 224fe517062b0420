import { addressSetting, type ServiceName, serviceNames } from "@uag/contract/routes";
import { createLinkClient, type LinkClient } from "@uag/link/client";
import { dialReplica } from "@uag/link/dial";
import type { Logger } from "@uag/runtime/log";
import type { Identity } from "@uag/runtime/rpc/identity";
import type { Config } from "./config.ts";

export interface Links extends AsyncDisposable {
  readonly byService: Partial<Record<ServiceName, LinkClient>>;
  /** True when any capability service can be reached. */
  anyReady(): boolean;
}

/** Opens links to every capability service that has an address. */
export function openLinks(config: Config, identity: Identity, log: Logger): Links {
  const byService: Partial<Record<ServiceName, LinkClient>> = {};
  for (const service of serviceNames) {
    const targets = config[addressSetting(service)];
    if (targets === undefined) continue;
    byService[service] = createLinkClient({
      targets,
      dial: dialReplica(identity, service),
      log: (event, { error, address, requestId }) =>
        log.warn({ err: error, to: service, address, request_id: requestId }, event),
    });
  }
  const clients = Object.values(byService);
  return {
    byService,
    anyReady: () => clients.some((client) => client.status().replicas.some((replica) => replica.ready)),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
