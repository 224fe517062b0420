import type { HolderOptions } from "@uag/usage/limits/holder";
import type { SessionDependencies } from "@uag/usage/session-dependencies";
import type { Peer } from "./network.ts";
import type { ReplicaOptions } from "./replica-options.ts";

/** Billing's calls on grants, made by a replica over the network. */
export function billingOf(
  replica: Peer,
  { network, store, recallMoney }: ReplicaOptions,
): SessionDependencies["billing"] {
  return {
    acquire: (request) => {
      let tries = 0;
      return network.call(replica, "acquire", () => {
        const response = store.acquire(request);
        if (!response.insufficient || response.held === 0n || ++tries > 2) return response;
        recallMoney();
        return undefined;
      });
    },
    return: (request) => network.call(replica, "return", () => store.returnGrant(request)),
    returnMany: ({ returns }) =>
      network.call(replica, "return", () => ({ outcomes: returns.map((one) => store.returnOne(one)) })),
    heartbeat: ({ holderId }) => network.call(replica, "heartbeat", () => store.heartbeat(holderId)),
    closeHolder: ({ holderId }) =>
      network.call(replica, "close holder", () => {
        store.spending.closed(holderId);
        return store.closeHolder(holderId);
      }),
    isHolderGone: ({ holderId }) => network.call(replica, "is holder gone", () => store.isHolderGone(holderId)),
    leaseSpend: (request) => network.call(replica, "lease spend", () => store.leaseSpend(request)),
    [Symbol.dispose]: () => undefined,
  };
}

/** Billing's calls on limits. */
export function limitsOf(replica: Peer, options: ReplicaOptions): HolderOptions["billing"] {
  const { network, permits, recallPermits } = options;
  return {
    renew: ({ holderId }) => network.call(replica, "renew", () => permits.renew(holderId)),
    borrow: (request) => {
      let tries = 0;
      return network.call(replica, "borrow", () => {
        const response = permits.borrow(request, ++tries > 2);
        if (response === undefined)
          recallPermits({ borrower: replica, kind: request.kind, need: Number(request.need) });
        return response;
      });
    },
  };
}
