import type { Provider } from "@uag/catalog/types.ts";

const longest = 4_000;
/** Keys, tokens and account names by their usual prefixes, masked middles included; a word without a digit or a mask is a word. */
const secretShapes =
  /\b(?:(?:sk|pk|xai|pa|org|proj|ak)[-_]|AIza|Bearer\s+)(?=[A-Za-z0-9_.-]*[0-9*])[A-Za-z0-9_*.-]{10,}|\b[A-Za-z0-9]{2,8}-\*{3,}[A-Za-z0-9]{2,}/g;
const addresses = /\bhttps?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[0-9a-f:]+\])(?::\d+)?[^\s"'<>]*/gi;

/** An upstream's text without our key, its address, and anything that looks like a credential; cut at 4,000 characters. */
export function scrub(text: string, provider: Provider): string {
  let clean = text.length > longest ? `${text.slice(0, longest)}…` : text;
  if (provider.apiKey.length >= 6) clean = clean.replaceAll(provider.apiKey, "[redacted]");
  const { host, hostname } = new URL(provider.origin);
  clean = clean
    .replaceAll(`${provider.origin}${provider.basePath}`, "[upstream]")
    .replaceAll(provider.origin, "[upstream]");
  clean = clean.replaceAll(host, "[upstream]").replaceAll(hostname, "[upstream]");
  return clean.replaceAll(secretShapes, "[redacted]").replaceAll(addresses, "[upstream]");
}
