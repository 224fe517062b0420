import { randomFrom } from "../content/hash.ts";
import type { Piece } from "../content/tokens.ts";
import { wordsOf } from "../content/words.ts";

interface TokenLogprob {
  token: string;
  bytes: number[];
  logprob: number;
}
export type LogprobItem = TokenLogprob & { top_logprobs: TokenLogprob[] };

function item(token: string, logprob: number): TokenLogprob {
  return { token, bytes: [...Buffer.from(token)], logprob: Math.round(logprob * 1e6) / 1e6 };
}

/**
 * Fabricated log probabilities: the chosen token first, then `top` - 1 words in descending order.
 */
export function logprobsOf(piece: Piece, top: number): LogprobItem {
  const random = randomFrom(piece.text, "logprobs");
  const chosen = item(piece.text, -0.01 - random() / 4);
  const others = Array.from({ length: Math.max(0, top - 1) }, (_, i) => {
    return item(` ${wordsOf(random, 1)}`, chosen.logprob - 1 - i - random());
  });
  return { ...chosen, top_logprobs: top > 0 ? [chosen, ...others] : [] };
}
