import { secretsOf } from "@uag/catalog/identity";
import type { Provider } from "@uag/catalog/types";

/** Maximum length of an upstream's text that may be shown. */
const max = 4_000;
/**
 * How far beyond the cut to look, so that a match that begins before it is recognized as a whole.
 */
const ahead = 2_000;

/**
 * Keys, tokens and account names by their usual prefixes, including masked ones; a word with
 * neither digit nor mask is not matched.
 */
const secretShapes = [
  /\b(?:(?:sk|pk|xai|pa|org|proj|ak)[-_]|AIza|Bearer\s+)(?=[A-Za-z_-]{0,20}[0-9*])[A-Za-z0-9_*.-]{10,}/g,
  /\b[A-Za-z0-9]{2,8}-\*{3,}[A-Za-z0-9]{2,}/g,
  // Access tokens: JSON web tokens and Google's.
  /\b(?:eyJ|ya29\.)[A-Za-z0-9_.-]{16,}/g,
];
const addresses = /\bhttps?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[0-9a-f:]+\])(?::\d+)?[^\s"'<>]*/gi;

/** Shorter ones also occur as ordinary words. */
const minKeyLength = 6;
const minHeaderLength = 16;

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly becomes: "[redacted]" | "[upstream]";
}

/**
 * An upstream's text without our key, its address, and anything that looks like a credential;
 * truncated at 4,000 characters, but never within a credential.
 */
export function redact(text: string, provider: Provider): string {
  const window = text.slice(0, max + ahead);
  let clean = "";
  let at = 0;
  for (const { from, to, becomes } of stretchesIn(window, provider)) {
    if (from >= max) break;
    if (to <= at) continue;
    if (from >= at) clean += window.slice(at, from) + becomes;
    at = to;
  }
  clean += window.slice(at, Math.max(at, max));
  return text.length > Math.max(at, max) ? `${clean}…` : clean;
}

/**
 * Ranges that must not be shown, from left to right; of two that begin together, the longer one
 * first.
 */
function stretchesIn(text: string, provider: Provider): Stretch[] {
  const { host, hostname } = new URL(provider.origin);
  const { apiKey, identity } = provider;
  const own = identity === undefined ? [apiKey] : secretsOf(identity);
  const secrets = [...own, ...(provider.headers ?? []).filter((value) => value.length >= minHeaderLength)];
  const ours = [provider.origin + provider.basePath, provider.origin, host, hostname].flatMap((address) =>
    places(text, address, "[upstream]"),
  );
  // The end of our own address is known; another that looks internal is hidden completely.
  const known = new Set(ours.map(({ from }) => from));
  const stretches = [
    ...secrets
      .filter((secret) => secret.length >= minKeyLength)
      .flatMap((secret) => places(text, secret, "[redacted]")),
    ...ours,
    ...secretShapes.flatMap((shape) => matches(text, shape, "[redacted]")),
    ...matches(text, addresses, "[upstream]").filter(({ from }) => !known.has(from)),
  ];
  return stretches.sort((a, b) => a.from - b.from || b.to - a.to);
}

function places(text: string, part: string, becomes: Stretch["becomes"]): Stretch[] {
  const found: Stretch[] = [];
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + part.length))
    found.push({ from, to: from + part.length, becomes });
  return found;
}

function matches(text: string, shape: RegExp, becomes: Stretch["becomes"]): Stretch[] {
  return Array.from(text.matchAll(shape), ({ index, 0: match }) => ({
    from: index,
    to: index + match.length,
    becomes,
  }));
}
