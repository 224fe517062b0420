import { GatewayError } from "@uag/contract/errors/gateway-error";
import { collectionOf } from "@uag/mongo/collection";
import type { Connection, mongo } from "mongoose";

interface RecipientsDocument {
  /** The account. */
  readonly _id: string;
  readonly recipients: readonly { readonly address: string; readonly at: Date }[];
  /** Whether the last caller could add its addresses. */
  readonly granted: boolean;
}

const maxRecipients = 20;
/** Deleting an alert does not make room for other addresses at once. */
const keptMs = 86_400_000;

/**
 * The addresses that an account's alerts mail, and those added within a day: at most 20
 * together, so that no account can mail many strangers.
 */
export class RecipientStore {
  readonly #recipients: mongo.Collection<RecipientsDocument>;

  constructor(connection: Connection) {
    this.#recipients = collectionOf<RecipientsDocument>(connection, "alert_recipients");
  }

  /**
   * Adds addresses beside those of the account's alerts, all or none.
   * @throws {GatewayError} `invalid_request` above the account's maximum
   */
  async add(accountId: string, emails: readonly string[], inUse: readonly string[]): Promise<void> {
    if (emails.length === 0) return;
    const [wanted, used] = [addressesOf(emails), addressesOf(inUse)];
    const isKept = {
      $or: [{ $in: ["$$one.address", used] }, { $gt: ["$$one.at", { $subtract: ["$$NOW", keptMs] }] }],
    };
    const kept = { $filter: { input: { $ifNull: ["$recipients", []] }, as: "one", cond: isKept } };
    const absent = { $setDifference: [{ $setUnion: [used, wanted] }, "$recipients.address"] };
    const added = { $map: { input: absent, as: "address", in: { address: "$$address", at: "$$NOW" } } };
    const known = { $setUnion: ["$recipients.address", used] };
    const fits = { $lte: [{ $size: { $setUnion: [known, wanted] } }, maxRecipients] };
    const after = await this.#recipients.findOneAndUpdate(
      { _id: accountId },
      [
        { $set: { recipients: kept } },
        { $set: { granted: { $or: [fits, { $setIsSubset: [wanted, known] }] } } },
        { $set: { recipients: { $cond: ["$granted", { $concatArrays: ["$recipients", added] }, "$recipients"] } } },
      ],
      { upsert: true, returnDocument: "after" },
    );
    if (after?.granted === true) return;
    const text = `The alerts of an account can mail at most ${maxRecipients} addresses, including those removed within a day.`;
    throw new GatewayError("invalid_request", `emails: ${text}`, { param: "emails" });
  }
}

const addressesOf = (emails: readonly string[]): string[] => [...new Set(emails.map((one) => one.toLowerCase()))];
