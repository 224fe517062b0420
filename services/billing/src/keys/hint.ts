/** Enough of a secret for people to tell keys apart: `sk-Ab3d…x9Zq`. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 7)}…${secret.slice(-4)}`;
}
