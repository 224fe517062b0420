const nanoPerUsd = 1_000_000_000n;

/** USD as the API writes it, `12.500000000`, in nano-USD. */
export function nanoUsdOf(text: string): bigint {
  const [, sign = "", whole = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const nano = BigInt(whole) * nanoPerUsd + BigInt(decimals.padEnd(9, "0"));
  return sign === "-" ? -nano : nano;
}

/** Nano-USD as exact USD, without zeros at the end beyond cents. */
export function exactUsd(nano: bigint): string {
  const amount = nano < 0n ? -nano : nano;
  const decimals = String(amount % nanoPerUsd)
    .padStart(9, "0")
    .replace(/0{1,7}$/, "");
  return `${nano < 0n ? "−" : ""}$${(amount / nanoPerUsd).toLocaleString("en-US")}.${decimals}`;
}

/**
 * Nano-USD for people: cents, and below a dollar as many digits as are significant. Never zero for
 * a non-zero amount.
 */
export function shortUsd(nano: bigint): string {
  const amount = Number(nano < 0n ? -nano : nano) / 1e9;
  const sign = nano < 0n ? "−" : "";
  if (amount === 0) return "$0.00";
  if (amount >= 1)
    return `${sign}$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
  const digits = Math.min(9, Math.max(2, 2 - Math.floor(Math.log10(amount))));
  return `${sign}$${amount.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}
