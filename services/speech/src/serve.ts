import { Outcome } from "@uag/proto/metering/v1/usage.ts";
import type { Mp3Encoder } from "./audio/mp3-threads.ts";
import { deliver, letGo } from "./deliver.ts";
import { giveUp, wasTaken } from "./give-up.ts";
import { type Serving, type Spoken, speak } from "./speak.ts";
import { countCharacters } from "./text/count.ts";
import { splitText } from "./text/split.ts";
import { serveWhole } from "./whole.ts";

/** One part of the text, as long as an upstream takes it at once. */
export interface Piece {
  readonly text: string;
  /** As the upstream counts. */
  readonly characters: number;
}

/** Speaks a text, and writes its bill whatever happens: what is thrown for an answer without one has cost nothing. */
export async function serveSpeech(serving: Serving): Promise<void> {
  try {
    await serve(serving);
  } catch (thrown) {
    const { exchange, context, bill } = serving;
    const refused = (cause: unknown): void => context.events.failed(exchange.requestId, cause);
    await bill.fail({ upstream: undefined, attempts: 0, status: 500 }).catch(refused);
    throw thrown;
  }
}

/** Piece by piece: MP3 while it comes, WAV when its length is known. */
async function serve(serving: Serving): Promise<void> {
  const { format, input, traits } = serving.request;
  const { segmentCharacters: most, ideographWeight } = traits;
  const pieces = splitText(input, { most, ideographWeight })
    .filter((text) => text.trim() !== "")
    .map((text) => ({ text, characters: countCharacters(text, ideographWeight) }));
  return format === "wav" ? serveWhole(serving, pieces) : serveStream(serving, pieces);
}

/** Until the first sound is there another upstream may take over. */
async function serveStream(serving: Serving, pieces: readonly Piece[]): Promise<void> {
  const { text, characters } = pieces[0] as Piece;
  let encoder: Mp3Encoder | undefined;
  let first: Spoken | undefined;
  try {
    encoder = serving.context.threads.open();
    first = await speak(serving, text);
    await serving.admitted.started;
  } catch (thrown) {
    await letGo(serving, { encoder, first });
    const units = [{ name: "characters", quantity: BigInt(characters) }];
    const owed = { outcome: Outcome.DISCONNECTED, units, estimated: true };
    return await giveUp(serving, { thrown, attempts: 0, owed: wasTaken(thrown) ? owed : undefined });
  }
  await deliver(serving, { first, pieces, encoder });
}
