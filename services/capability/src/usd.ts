/** nano-USD as USD with nine decimals: the value of `x-gateway-cost-usd`. */
export function usdText(nanoUsd: bigint): string {
  const digits = String(nanoUsd).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
}
