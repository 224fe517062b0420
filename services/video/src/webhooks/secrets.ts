import type { Collection, Connection } from "mongoose";
import { isDuplicate } from "../store/connection.ts";
import type { SecretBox } from "./secret-box.ts";
import { newSecret } from "./signature.ts";

interface SecretEntry {
  readonly box: Buffer;
  readonly createdAt: Date;
  /** When it signs no more; null for the one in force. */
  readonly endsAt: Date | null;
}

interface SecretsDocument {
  /** The account. */
  readonly _id: string;
  /** Newest first. */
  readonly secrets: SecretEntry[];
}

/** Accounts' signing secrets, encrypted at rest. */
export class SecretStore {
  readonly #documents: Collection<SecretsDocument>;
  readonly #box: SecretBox;

  constructor(connection: Connection, box: SecretBox) {
    this.#documents = connection.collection<SecretsDocument>("webhook_secrets");
    this.#box = box;
  }

  /** The secrets in force, newest first; the first is made when there is none yet. */
  async inForce(accountId: string): Promise<string[]> {
    const found = (await this.#documents.findOne({ _id: accountId })) ?? (await this.#makeFirst(accountId));
    const now = new Date();
    const live = found.secrets.filter(({ endsAt }) => endsAt === null || endsAt > now);
    return live.map(({ box }) => this.#box.open(box, accountId));
  }

  /** Makes a new secret. Earlier ones end after `overlapMs`, or when they would have ended before. */
  async rotate(accountId: string, overlapMs: number): Promise<{ secret: string; earlierUntil: Date | undefined }> {
    const secret = newSecret();
    const now = new Date();
    const endsAt = new Date(now.getTime() + overlapMs);
    const entry: SecretEntry = { box: this.#box.seal(secret, accountId), createdAt: now, endsAt: null };
    const inForce = { $or: [{ $eq: ["$$one.endsAt", null] }, { $gt: ["$$one.endsAt", now] }] };
    const earlier = { $filter: { input: { $ifNull: ["$secrets", []] }, as: "one", cond: inForce } };
    const ended = {
      $map: {
        input: earlier,
        as: "one",
        // In an aggregation null sorts before every date: what has no end yet must be asked for by name.
        in: { $mergeObjects: ["$$one", { endsAt: { $min: [{ $ifNull: ["$$one.endsAt", endsAt] }, endsAt] } }] },
      },
    };
    const update = [{ $set: { secrets: { $concatArrays: [[entry], ended] } } }];
    const after = await this.#documents.findOneAndUpdate({ _id: accountId }, update, {
      upsert: true,
      returnDocument: "after",
    });
    return { secret, earlierUntil: after?.secrets[1]?.endsAt ?? undefined };
  }

  async #makeFirst(accountId: string): Promise<SecretsDocument> {
    const box = this.#box.seal(newSecret(), accountId);
    const first: SecretsDocument = { _id: accountId, secrets: [{ box, createdAt: new Date(), endsAt: null }] };
    try {
      await this.#documents.insertOne(first);
      return first;
    } catch (error) {
      // Another replica was first.
      const found = isDuplicate(error) ? await this.#documents.findOne({ _id: accountId }) : null;
      if (found === null) throw error;
      return found;
    }
  }
}
