/** Nano-USD in one USD. */
const nanoUsdPerUsd = 1_000_000_000n;

/** Formats nano-USD as USD with all nine decimals: `12.500000000`. */
export function usdText(nanoUsd: bigint): string {
  const amount = nanoUsd < 0n ? -nanoUsd : nanoUsd;
  const text = `${amount / nanoUsdPerUsd}.${String(amount % nanoUsdPerUsd).padStart(9, "0")}`;
  return nanoUsd < 0n ? `-${text}` : text;
}
