import type { LookupFunction } from "node:net";
import { isPublicAddress } from "@uag/untrusted/http/address";
import { UrlError } from "@uag/untrusted/http/url-error";
import type { UrlGuard } from "@uag/untrusted/http/url-guard";
import { UpstreamFailure } from "../failure.ts";
import type { NameCache } from "./name-cache.ts";

/**
 * The lookup for connections to an address that was set over the admin API: a name that has an
 * address which is not public is refused at every connection, so that changing its DNS records
 * later gains nothing.
 * @throws {UpstreamFailure} `operator` when the origin itself may not be called
 */
export function guardedLookup(origin: string, guard: UrlGuard, names: NameCache): LookupFunction {
  const url = parsed(origin, guard);
  if (guard.isExempt(url)) return names.lookup;
  return (name, options, callback) =>
    names.lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : [];
      if (error !== null) callback(error, "", 0);
      else if (addresses.some(({ address }) => !isPublicAddress(address))) callback(refused(name), "", 0);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 0);
    });
}

function parsed(origin: string, guard: UrlGuard): URL {
  try {
    return guard.parse(origin);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw new UpstreamFailure("operator", `calls to ${origin} are refused: ${error.message}`, { cause: error });
  }
}

const refused = (name: string): UpstreamFailure =>
  new UpstreamFailure("operator", `calls to ${name} are refused: it has an address that is not public`);
