import { isIP } from "node:net";
import { isPublicAddress, isPublicName } from "./address.ts";
import { UrlError } from "./url-error.ts";

const maxUrlLength = 8 * 1024;
/**
 * Parsers disagree about the host of a URL with a backslash or white space in its authority, so
 * it is rejected: RFC 3986 allows neither. https://url.spec.whatwg.org/#url-parsing
 */
const plainAuthority = /^[a-z]+:\/\/[^\\/?#\s]+(?:[/?#]|$)/i;

/** Validates the form of URLs that come from users. */
export class UrlGuard {
  readonly #exempt: ReadonlySet<string>;

  /** @param exempt non-public `host:port` pairs that may be called, plain http included */
  constructor(exempt: readonly string[]) {
    this.#exempt = new Set(exempt);
  }

  isExempt(url: URL): boolean {
    return this.#exempt.has(`${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`);
  }

  /** @throws {UrlError} for a URL that may not be called */
  parse(text: string): URL {
    const url = text.length <= maxUrlLength ? URL.parse(text) : null;
    if (url === null || (url.host !== "" && !plainAuthority.test(text)))
      throw new UrlError("invalid_url", "The URL is not valid.");
    if (this.isExempt(url) && (url.protocol === "http:" || url.protocol === "https:")) return url;
    if (url.protocol !== "https:") throw new UrlError("invalid_url", "The URL must begin with https://.");
    if (url.username !== "" || url.password !== "") {
      throw new UrlError("invalid_url", "The URL must not carry a user name or password.");
    }
    if (!isOutside(url)) throw new UrlError("address_refused", "The URL's host is not a public address.");
    return url;
  }

  /** True for a web URL whose host is an address, or a name, that is not on the public internet. */
  leadsInside(text: string): boolean {
    const url = /^https?:/i.test(text.slice(0, 6)) && text.length <= maxUrlLength ? URL.parse(text) : null;
    return url !== null && !this.isExempt(url) && !isOutside(url);
  }
}

/** The host, without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

function isOutside(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
}
