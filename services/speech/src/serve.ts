import type { Answered } from "@uag/capability/bill.ts";
import { nestedErrors } from "@uag/capability/nested-error.ts";
import { answerTrouble, troubleOf } from "@uag/capability/trouble.ts";
import { GatewayError } from "@uag/kit/errors.ts";
import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import { AttemptsFailed } from "@uag/upstreams/attempt.ts";
import { type Encoding, openEncoding } from "./audio/encoding.ts";
import { deliver } from "./deliver.ts";
import { type Serving, type Spoken, speak } from "./speak.ts";
import { countCharacters } from "./text/count.ts";
import { splitText } from "./text/split.ts";

/** Speaks a text piece by piece; until the first sound is there another upstream may take over. */
export async function serveSpeech(serving: Serving): Promise<void> {
  const { input, traits } = serving.request;
  const { segmentCharacters: most, ideographWeight } = traits;
  const pieces = splitText(input, { most, ideographWeight }).filter((piece) => piece.trim() !== "");
  let encoding: Encoding | undefined;
  let first: Spoken | undefined;
  try {
    encoding = openEncoding(serving.request.format, serving.context.threads);
    first = await speak(serving, pieces[0] as string);
    await serving.admitted.started;
  } catch (thrown) {
    encoding?.drop();
    await first?.value.pcm.return();
    return await giveUp(serving, thrown, pieces[0] as string);
  }
  await deliver(serving, { first, pieces, encoding });
}

/** No sound: the bill is nothing, or the text an upstream had when the client left; the client is told why once that is on disk. */
async function giveUp(serving: Serving, thrown: unknown, text: string): Promise<void> {
  const { exchange, context, request, bill, admitted } = serving;
  const trouble = troubleOf(thrown, exchange.requestId);
  const tried = thrown instanceof AttemptsFailed ? thrown : undefined;
  const sent = tried?.failure.workedMs !== undefined;
  const answered: Answered = {
    upstream: tried !== undefined && (sent || tried.failure.status !== 0) ? tried.upstream : undefined,
    attempts: tried?.attempts ?? 0,
    status: exchange.over ? 499 : trouble.error.httpStatus,
  };
  try {
    if (sent) {
      const quantity = BigInt(countCharacters(text, request.traits.ideographWeight));
      const units = [{ name: "characters", quantity }];
      await bill.charge({ outcome: Outcome.DISCONNECTED, units, estimated: true }, answered);
    } else await bill.fail(answered);
  } catch (cause) {
    throw new GatewayError("service_unavailable", undefined, { cause });
  }
  const headers = ["x-gateway-attempts", String(answered.attempts), ...admitted.headers];
  answerTrouble(exchange, trouble, { events: context.events, format: nestedErrors, headers });
}
