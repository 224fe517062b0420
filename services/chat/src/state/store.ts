import { pieceIdsOf } from "@uag/pipeline/sealed-pieces";
import { randomText } from "@uag/runtime/ids";
import { alive, type ChatDatabase, type Collections, keyOf, literals, mayBeId, whole } from "./database.ts";
import type { ResponseDocument, StoredTurn } from "./document.ts";
import type { EventLog } from "./event-log.ts";

const dayMs = 24 * 3_600_000;
/** https://platform.openai.com/docs/guides/conversation-state: response objects are saved for 30 days. */
const lifeMs = 30 * dayMs;
/** A response that is continued with less left than this gets its whole life again. */
const renewBelowMs = lifeMs / 2;
/** Pieces outlive their response, so that one that is being read stays complete. */
const pieceGraceMs = 3_600_000;
/** How long pieces are stored. */
export const pieceLifeMs = lifeMs + pieceGraceMs;

/** What an account may store; its oldest responses are deleted beyond that. */
export interface StoreBounds {
  readonly maxResponses: number;
  readonly maxBytes: number;
}

/** Where responses are stored, and how many. */
export interface ResponseStoreOptions extends StoreBounds {
  readonly database: ChatDatabase;
  /** Is called with what fails after a response was stored. */
  readonly failed: (error: unknown) => void;
}

/** A response to store. */
export interface NewTurn extends StoredTurn {
  readonly itemIds: readonly string[];
  /** The events of its stream, which are stored already. */
  readonly events?: EventLog | undefined;
}

/**
 * The responses of accounts that store them, in MongoDB, encrypted, by whose clock they expire. Every
 * method rejects with `service_unavailable` while the database cannot be reached.
 */
export class ResponseStore implements AsyncDisposable {
  readonly #options: ResponseStoreOptions;
  /** Accounts whose bounds are being applied. */
  readonly #pruning = new Map<string, Promise<void>>();

  constructor(options: ResponseStoreOptions) {
    this.#options = options;
  }

  /** Stores a response; one with the same id is replaced. */
  async put(accountId: string, { id, previousIds, itemIds, input, response, events }: NewTurn): Promise<void> {
    if (!mayBeId(id)) throw new Error("the response's id is too long to be stored");
    await this.#run(async ({ responses, pieces }) => {
      const place = randomText(24);
      const inputPieces = await pieces.put(inputPlace(place), input, pieceLifeMs);
      const responsePieces = await pieces.put(responsePlace(place), response, pieceLifeMs);
      const bytes = input.length + response.length + (events?.bytes ?? 0);
      const fields = {
        ...(events && { events }),
        accountId,
        id,
        place,
        previousIds,
        itemIds,
        inputPieces,
        responsePieces,
        bytes,
      };
      const times = { createdAt: "$$NOW", expiresAt: { $add: ["$$NOW", lifeMs] } };
      const row = { ...literals(fields), ...times };
      await responses.updateOne({ _id: keyOf(accountId, id) }, [{ $set: row }], { upsert: true });
    });
    this.#prune(accountId);
  }

  /** A stored response; undefined for an unknown, deleted or expired one. */
  async find(accountId: string, id: string): Promise<ResponseDocument | undefined> {
    if (!mayBeId(id)) return undefined;
    return await this.#run(async ({ responses }) => {
      return (await responses.findOne(alive<ResponseDocument>({ _id: keyOf(accountId, id) }))) ?? undefined;
    });
  }

  /** The stored responses with these ids, in this order; undefined if one is missing. */
  async findAll(accountId: string, ids: readonly string[]): Promise<ResponseDocument[] | undefined> {
    return await this.#run(async ({ responses }) => {
      const keys = ids.map((id) => keyOf(accountId, id));
      const found = await responses.find(alive<ResponseDocument>({ _id: { $in: keys } })).toArray();
      const byKey = new Map(found.map((row) => [row._id, row]));
      const rows = keys.flatMap((key) => byKey.get(key) ?? []);
      return rows.length === keys.length ? rows : undefined;
    });
  }

  /** The newest stored responses that have an item with one of these ids, at most `limit`. */
  async findItems(accountId: string, itemIds: readonly string[], limit: number): Promise<ResponseDocument[]> {
    return await this.#run(async ({ responses }) => {
      const filter = alive<ResponseDocument>({ accountId, itemIds: { $in: [...itemIds] } });
      return await responses.find(filter).sort({ createdAt: -1 }).limit(limit).toArray();
    });
  }

  /** The content of a stored response. */
  async read({ id, previousIds, place, inputPieces, responsePieces }: ResponseDocument): Promise<StoredTurn> {
    return await this.#run(async ({ pieces }) => {
      const input = await whole(pieces.read(inputPlace(place), inputPieces));
      const response = await whole(pieces.read(responsePlace(place), responsePieces));
      return { id, previousIds, input, response };
    });
  }

  /** Gives responses that are continued their whole life again, if half of it is over. */
  async renew(rows: readonly ResponseDocument[]): Promise<void> {
    const soon = Date.now() + renewBelowMs;
    const aging = rows.filter(({ expiresAt }) => expiresAt.getTime() < soon);
    if (aging.length === 0) return;
    await this.#run(async ({ responses, pieceRows }) => {
      const later = (life: number): object[] => [{ $set: { expiresAt: { $add: ["$$NOW", life] } } }];
      await pieceRows.updateMany({ _id: { $in: aging.flatMap(piecesOf) } }, later(pieceLifeMs));
      await responses.updateMany({ _id: { $in: aging.map(({ _id }) => _id) } }, later(lifeMs));
    });
  }

  /** Deletes a response; false when there is none. */
  async delete(accountId: string, id: string): Promise<boolean> {
    const row = await this.find(accountId, id);
    if (row === undefined) return false;
    await this.#run((collections) => remove(collections, [row]));
    return true;
  }

  /** Deletes an account's oldest responses beyond its bounds, once at a time. */
  #prune(accountId: string): void {
    if (this.#pruning.has(accountId)) return;
    const pruning = this.#run(async (collections) => {
      const { maxResponses, maxBytes } = this.#options;
      const { responses } = collections;
      const sum = { _id: null, count: { $sum: 1 }, bytes: { $sum: "$bytes" } };
      // Both are covered by the index of the account's responses.
      const stages = [{ $match: { accountId } }, { $project: { _id: 0, bytes: 1 } }, { $group: sum }];
      const [used] = await responses.aggregate<{ count: number; bytes: number | bigint }>(stages).toArray();
      let count = used?.count ?? 0;
      let bytes = Number(used?.bytes ?? 0);
      if (count <= maxResponses && bytes <= maxBytes) return;
      const excess: ResponseDocument[] = [];
      for await (const row of responses.find({ accountId }).sort({ createdAt: 1 })) {
        if (count-- <= maxResponses && bytes <= maxBytes) break;
        bytes -= row.bytes;
        excess.push(row);
      }
      await remove(collections, excess);
    })
      .catch(this.#options.failed)
      .finally(() => this.#pruning.delete(accountId));
    this.#pruning.set(accountId, pruning);
  }

  #run<T>(work: (collections: Collections) => Promise<T>): Promise<T> {
    return this.#options.database.run(work);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#pruning.values());
  }
}

const inputPlace = (place: string): string => `${place}/input`;
const responsePlace = (place: string): string => `${place}/response`;

const piecesOf = ({ place, inputPieces, responsePieces, events }: ResponseDocument): string[] => [
  ...pieceIdsOf(inputPlace(place), inputPieces),
  ...pieceIdsOf(responsePlace(place), responsePieces),
  ...(events === undefined ? [] : pieceIdsOf(events.place, events.pieces)),
];

/** Deletes responses, and only then their pieces: a response is complete as long as it is found. */
async function remove({ responses, pieceRows }: Collections, rows: readonly ResponseDocument[]): Promise<void> {
  // One that was replaced meanwhile has another place.
  for (const { _id, place } of rows) await responses.deleteOne({ _id, place });
  await pieceRows.deleteMany({ _id: { $in: rows.flatMap(piecesOf) } });
}
