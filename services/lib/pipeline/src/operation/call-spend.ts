import type { Model, Upstream } from "@uag/catalog/types";
import type { CallSpend } from "@uag/providers/credentials/call-spend";
import type { CappedCredential } from "@uag/usage/spend/credential-spend";
import type { Admitted } from "@uag/usage/types";

/** The upstream's own credential, if it has a spend cap. */
function cappedOf({ provider: { name: provider, credential } }: Upstream): CappedCredential | undefined {
  const { id: credentialId, caps } = credential;
  return caps && { provider, credentialId, caps };
}

const withCredentials = (upstreams: readonly Upstream[]): Upstream[] =>
  upstreams.flatMap((upstream) => upstream.pool ?? [upstream]);

/** Computed once for all credentials of an upstream: sizing a request is not cheap. */
function remembered(mostOf: (upstream: Upstream) => bigint): (upstream: Upstream) => bigint {
  const known = new Map<Upstream["cost"], bigint>();
  return (upstream) => {
    const most = known.get(upstream.cost) ?? mostOf(upstream);
    known.set(upstream.cost, most);
    return most;
  };
}

/**
 * What the calls of a request to a model count as, against the spend caps of its credentials;
 * undefined if none has one.
 * @param mostAt the most that the request can cost at an upstream, nano-USD
 */
export function callSpend(
  admitted: Pick<Admitted, "spend">,
  { upstreams }: Model,
  mostAt: (upstream: Upstream) => bigint,
): CallSpend | undefined {
  if (!upstreams.some(({ provider }) => provider.isCapped === true)) return undefined;
  const { spend } = admitted;
  if (spend === undefined) return undefined;
  const mostOf = remembered(mostAt);
  return {
    prepare(called) {
      const waiting = withCredentials(called).flatMap((one) => {
        const capped = cappedOf(one);
        return (capped && spend.ensure(capped, mostOf(one))) ?? [];
      });
      return waiting.length === 0 ? undefined : Promise.all(waiting);
    },
    isOver(upstream) {
      const capped = cappedOf(upstream);
      return capped !== undefined && !spend.covers(capped, mostOf(upstream));
    },
    began(upstream) {
      const capped = cappedOf(upstream);
      if (capped !== undefined) spend.take(capped, mostOf(upstream));
    },
    untilMs(called) {
      const ends = withCredentials(called).flatMap((one) => {
        const capped = cappedOf(one);
        const untilMs = capped === undefined ? 0 : spend.untilMs(capped);
        return untilMs === 0 ? [] : [untilMs];
      });
      return ends.length === 0 ? 0 : Math.min(...ends);
    },
  };
}
