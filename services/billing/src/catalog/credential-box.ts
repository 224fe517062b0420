import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { CatalogCredentialDocument } from "@uag/ledger/documents/catalog-overlay";
import type { Store } from "@uag/ledger/documents/store";
import type { Keyring } from "@uag/runtime/keyring";
import { type Sealed, SecretBox } from "@uag/runtime/secret-box";

type Of = Pick<CatalogCredentialDocument, "_id" | "provider">;

/** Encrypts the providers' credentials. */
export class CredentialBox {
  readonly #box: SecretBox | undefined;

  /** @param keys undefined: none can be stored */
  constructor(keys: Keyring | undefined) {
    this.#box = keys && new SecretBox(keys);
  }

  /** @throws {GatewayError} `service_unavailable` without a key */
  seal(secret: string, of: Of): Sealed {
    return this.#opened().seal(secret, ownerOf(of));
  }

  /**
   * The credential's secret; empty for one in a variable. Encrypts it again if its key is being
   * replaced.
   */
  async open(
    { catalogCredentials }: Pick<Store, "catalogCredentials">,
    credential: CatalogCredentialDocument,
  ): Promise<string> {
    const { _id, box, keyId } = credential;
    if (box === undefined || keyId === undefined) return "";
    const secret = this.#opened().open({ box, keyId }, ownerOf(credential));
    if (this.#opened().isStale({ box, keyId }))
      await catalogCredentials.updateOne({ _id, keyId }, { $set: this.seal(secret, credential) });
    return secret;
  }

  #opened(): SecretBox {
    if (this.#box !== undefined) return this.#box;
    const cause = new Error("CREDENTIAL_KEY is not set");
    throw new GatewayError(
      "service_unavailable",
      "Billing cannot encrypt credentials. The operator must set CREDENTIAL_KEY.",
      { cause },
    );
  }
}

const ownerOf = ({ _id, provider }: Of): string => `${provider} ${_id}`;
