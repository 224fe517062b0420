/** Why a URL that a user gave was not fetched. */
export type UrlFault =
  | "invalid_url"
  | "address_refused"
  | "unreachable"
  | "timeout"
  | "too_large"
  | "too_many"
  | "too_many_redirects";

/**
 * Why a URL given by a user was not fetched. The message is fit for that user: it names no address.
 */
export class UrlError extends Error {
  override readonly name = "UrlError";
  readonly fault: UrlFault;
  constructor(fault: UrlFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}
