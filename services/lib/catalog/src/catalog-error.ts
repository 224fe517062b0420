/** An unusable catalogue; the message has a line per fault, naming the model or provider. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
}
