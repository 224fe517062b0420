import type { Catalog, Credential, Provider } from "@uag/catalog/types";
import type { CredentialStatus } from "@uag/contract/messages/status";
import type { CredentialHealth } from "@uag/providers/credentials/credential-health";

type States = Pick<CredentialHealth, "stateOf">;

function statusOf(states: States, { name: provider }: Provider, credential: Credential): CredentialStatus {
  const { id, name, weight, priority } = credential;
  const { rejection, cooldownForMs } = states.stateOf({ name: provider, credential });
  const account = credential.account.startsWith("=") ? "" : credential.account;
  return { provider, id, name, weight, priority, account, rejection, rests_for_ms: cooldownForMs };
}

/** The state of every credential that new requests may use. */
export function credentialStatus({ providers }: Pick<Catalog, "providers">, states: States): CredentialStatus[] {
  const enabled = [...providers.values()].filter((provider) => provider.enabled);
  return enabled.flatMap((provider) => provider.inUse.map((credential) => statusOf(states, provider, credential)));
}

/** How many of each provider's credentials are only used as a last resort. */
export function unavailableCredentials(catalog: Pick<Catalog, "providers">, states: States): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { provider, rejection, rests_for_ms: restsForMs } of credentialStatus(catalog, states)) {
    const isOut = rejection !== undefined || restsForMs > 0;
    counts.set(provider, (counts.get(provider) ?? 0) + (isOut ? 1 : 0));
  }
  return counts;
}
