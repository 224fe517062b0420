import type { CatalogCredentialDocument } from "@uag/ledger/documents/catalog-overlay";
import type { Store } from "@uag/ledger/documents/store";
import type { CredentialBox } from "./credential-box.ts";

/**
 * Opens every credential, which encrypts those again whose key is being replaced.
 * @throws {Error} when one cannot be opened: no provider would be called with it
 */
export async function openAll(store: Pick<Store, "catalogCredentials">, box: CredentialBox): Promise<void> {
  for (const credential of await store.catalogCredentials.find().lean<CatalogCredentialDocument[]>()) {
    try {
      await box.open(store, credential);
    } catch (error) {
      const text = `CREDENTIAL_KEY does not open the credential ${credential._id} of ${credential.provider}`;
      throw new Error(`${text}. Add the key that it was stored with to CREDENTIAL_KEY_PREVIOUS.`, { cause: error });
    }
  }
}
