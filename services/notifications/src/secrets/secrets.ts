import { GatewayError } from "@uag/contract/errors/gateway-error";
import { isDuplicate } from "@uag/mongo/errors";
import type { Actor } from "@uag/proto/common/v1/actor.ts";
import { newId } from "@uag/runtime/ids";
import type { Sealed, SecretBox } from "@uag/runtime/secret-box";
import type { Collection, Connection } from "mongoose";
import { newSecret } from "./signature.ts";

export interface SecretEntry extends Sealed {
  readonly id: string;
  /** The secret's last characters, to tell secrets apart. */
  readonly hint: string;
  readonly createdAt: Date;
  /** Unset when it was created along with the account's first webhook. */
  readonly createdBy?: Actor;
  /** When it stops signing; null for the newest. */
  readonly endsAt: Date | null;
}

interface SecretsDocument {
  /** The account's id. */
  readonly _id: string;
  /** Newest first. */
  readonly secrets: SecretEntry[];
}

const hintLength = 5;

/** Accounts' signing secrets, encrypted at rest. */
export class SecretStore {
  readonly #documents: Collection<SecretsDocument>;
  readonly #box: SecretBox;

  constructor(connection: Connection, box: SecretBox) {
    this.#documents = connection.collection<SecretsDocument>("webhook_secrets");
    this.#box = box;
  }

  /**
   * Reseals what an earlier key sealed, so that it may be removed once every replica has started
   * with the new one: an account may not be sent a webhook for months.
   * @param failed called for secrets that cannot be read
   */
  async open(failed: (error: unknown) => void): Promise<void> {
    await this.#documents.createIndex({ "secrets.id": 1 });
    const stale = { secrets: { $elemMatch: { keyId: { $ne: this.#box.keyId } } } };
    for await (const found of this.#documents.find(stale)) {
      for (const entry of liveIn(found)) await this.#open(entry, found._id).catch(failed);
    }
  }

  /**
   * The secrets that sign an account's webhooks, newest first; creates the first when there is
   * none.
   */
  async inForce(accountId: string): Promise<string[]> {
    const found = (await this.#documents.findOne({ _id: accountId })) ?? (await this.#makeFirst(accountId));
    return await Promise.all(liveIn(found).map((entry) => this.#open(entry, accountId)));
  }

  /** Opens a secret, and reseals it if its key is being replaced. */
  async #open(entry: SecretEntry, accountId: string): Promise<string> {
    const secret = this.#box.open(entry, accountId);
    if (this.#box.isStale(entry)) {
      const { box, keyId } = this.#box.seal(secret, accountId);
      const one = { _id: accountId, "secrets.id": entry.id };
      await this.#documents.updateOne(one, { $set: { "secrets.$.box": box, "secrets.$.keyId": keyId } });
    }
    return secret;
  }

  /** The currently valid secrets, newest first. */
  async list(accountId: string): Promise<SecretEntry[]> {
    const found = await this.#documents.findOne({ _id: accountId });
    return found === null ? [] : liveIn(found);
  }

  /**
   * Creates a new secret. Earlier ones expire after `overlapMs`, or sooner if they would have
   * anyway.
   */
  async rotate(
    accountId: string,
    { overlapMs, actor }: { overlapMs: number; actor: Actor | undefined },
  ): Promise<{ secret: string; made: SecretEntry; earlierUntil: Date | undefined }> {
    const secret = newSecret();
    const made = { ...this.#entryOf(secret, accountId), ...(actor !== undefined && { createdBy: actor }) };
    const now = made.createdAt;
    const endsAt = new Date(now.getTime() + overlapMs);
    const inForce = { $or: [{ $eq: ["$$one.endsAt", null] }, { $gt: ["$$one.endsAt", now] }] };
    const earlier = { $filter: { input: { $ifNull: ["$secrets", []] }, as: "one", cond: inForce } };
    const ended = {
      $map: {
        input: earlier,
        as: "one",
        // In an aggregation null sorts before every date, so a missing end must be replaced
        // explicitly.
        in: { $mergeObjects: ["$$one", { endsAt: { $min: [{ $ifNull: ["$$one.endsAt", endsAt] }, endsAt] } }] },
      },
    };
    // Literal, so that an administrator's name is never read as a field path.
    const update = [{ $set: { secrets: { $concatArrays: [[{ $literal: made }], ended] } } }];
    const after = await this.#documents.findOneAndUpdate({ _id: accountId }, update, {
      upsert: true,
      returnDocument: "after",
    });
    return { secret, made, earlierUntil: after?.secrets[1]?.endsAt ?? undefined };
  }

  /**
   * Ends an earlier secret at once.
   * @returns it and its account; undefined when there is no such valid secret
   * @throws {GatewayError} `invalid_request` for the newest: webhooks would go out unsigned
   */
  async end(id: string): Promise<{ accountId: string; entry: SecretEntry } | undefined> {
    const found = await this.#documents.findOne({ "secrets.id": id });
    const entry = found === null ? undefined : liveIn(found).find((one) => one.id === id);
    if (found === null || entry === undefined) return undefined;
    if (entry.endsAt === null) {
      throw new GatewayError("invalid_request", "The newest secret cannot be revoked. Create another one first.", {
        param: "id",
      });
    }
    const endsAt = new Date();
    const one = { _id: found._id, secrets: { $elemMatch: { id, endsAt: { $ne: null } } } };
    await this.#documents.updateOne(one, { $set: { "secrets.$.endsAt": endsAt } });
    return { accountId: found._id, entry: { ...entry, endsAt } };
  }

  #entryOf(secret: string, accountId: string): SecretEntry {
    const sealed = this.#box.seal(secret, accountId);
    return { id: newId("whs"), ...sealed, hint: secret.slice(-hintLength), createdAt: new Date(), endsAt: null };
  }

  async #makeFirst(accountId: string): Promise<SecretsDocument> {
    const first: SecretsDocument = { _id: accountId, secrets: [this.#entryOf(newSecret(), accountId)] };
    try {
      await this.#documents.insertOne(first);
      return first;
    } catch (error) {
      // Another replica created it first.
      const found = isDuplicate(error) ? await this.#documents.findOne({ _id: accountId }) : null;
      if (found === null) throw error;
      return found;
    }
  }
}

function liveIn({ secrets }: SecretsDocument): SecretEntry[] {
  const now = new Date();
  return secrets.filter(({ endsAt }) => endsAt === null || endsAt > now);
}
