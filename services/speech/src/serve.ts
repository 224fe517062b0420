import type { Answered } from "@uag/capability/bill.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import { answerTrouble, troubleOf } from "@uag/capability/trouble.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { deliver } from "./deliver.ts";
import { type Serving, type Spoken, speak } from "./speak.ts";
import { splitText } from "./text/split.ts";

/** Speaks a text piece by piece; until the first sound is there another upstream may take over. */
export async function serveSpeech(serving: Serving): Promise<void> {
  const { input, traits } = serving.request;
  const { segmentCharacters: most, ideographWeight } = traits;
  const pieces = splitText(input, { most, ideographWeight }).filter((piece) => piece.trim() !== "");
  let first: Spoken | undefined;
  try {
    first = await speak(serving, pieces[0] as string);
    await serving.admitted.started;
  } catch (thrown) {
    await first?.value.pcm.return();
    return await giveUp(serving, thrown);
  }
  await deliver(serving, { first, pieces });
}

/** No sound: the bill is nothing, and the client is told why once that is on disk. */
async function giveUp({ exchange, context, bill, admitted }: Serving, thrown: unknown): Promise<void> {
  const trouble = troubleOf(thrown, exchange.requestId);
  const tried = thrown instanceof AttemptsFailed ? thrown : undefined;
  const answered: Answered = {
    upstream: tried !== undefined && tried.failure.status !== 0 ? tried.upstream : undefined,
    attempts: tried?.attempts ?? 0,
    status: exchange.over ? 499 : trouble.error.httpStatus,
  };
  try {
    await bill.fail(answered);
  } catch (cause) {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
  const headers = ["x-gateway-attempts", String(answered.attempts), ...admitted.headers];
  answerTrouble(exchange, trouble, { events: context.events, format: nestedErrors, headers });
}
