import { GatewayError } from "@uag/contract/errors/gateway-error";

/** The owner of a key that exists but may no longer be used. */
export interface KnownKey {
  readonly accountId: string;
  readonly keyId: string;
}

class Owner {
  readonly key: KnownKey;

  constructor(key: KnownKey) {
    this.key = key;
  }
}

/** Why a key that exists is refused. */
export interface Unusable {
  readonly code: "invalid_api_key" | "account_disabled";
  /** Default: the code's text. */
  readonly text?: string;
}

/** The refusal of a key that exists: it is revoked or expired, or its account is disabled. */
export function unusableKey({ code, text }: Unusable, { accountId, keyId }: KnownKey): GatewayError {
  return new GatewayError(code, text, { cause: new Owner({ accountId, keyId }) });
}

/** The key that {@link unusableKey} was made for; undefined for any other error. */
export function knownKeyOf({ cause }: GatewayError): KnownKey | undefined {
  return cause instanceof Owner ? cause.key : undefined;
}
