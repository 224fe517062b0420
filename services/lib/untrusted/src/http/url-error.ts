/** Why a user's URL was not fetched. */
export type UrlFault =
  | "invalid_url"
  | "address_refused"
  | "unreachable"
  | "timeout"
  | "too_large"
  | "too_many"
  | "too_many_redirects";

/** Why a user's URL was not fetched. The message is safe for that user: it contains no address. */
export class UrlError extends Error {
  override readonly name = "UrlError";
  readonly fault: UrlFault;
  constructor(fault: UrlFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}
