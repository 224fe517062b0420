import { createHash, randomBytes } from "node:crypto";
import type { Collection, Connection } from "mongoose";
import type { DeliveryDocument, NewDelivery } from "../deliveries/deliveries.ts";
import { addressIn } from "./mail.ts";

interface ConfirmationDocument {
  /** An account and an address, in lower case. */
  readonly _id: string;
  readonly accountId: string;
  readonly address: string;
  readonly askedAt: Date;
  /** When the links of the confirmation mail expire; absent once the address is confirmed. */
  readonly endsAt?: Date;
  readonly confirmedAt?: Date;
  /** SHA-256 of the tokens that were mailed: one for each attempt, for any of them may arrive. */
  readonly digests?: readonly Buffer[];
  /** Confirmation mails since the link became valid. */
  readonly mails: number;
  /** Whether the last caller must send a confirmation mail. */
  readonly isDue: boolean;
}

export interface ConfirmationOptions {
  /** Domains whose addresses need no confirmation; `*` for all. */
  readonly confirmedDomains: readonly string[];
  /** Where clients reach the console, without a trailing slash. */
  readonly publicUrl: string;
  /** How long a link is valid, milliseconds. */
  readonly lifetimeMs: number;
  /** Shortest time between two confirmation mails with valid links, milliseconds. */
  readonly resendPauseMs: number;
}

/** `resend`: whether an address with a valid link may get another mail, as the first may be lost. */
export interface Asking {
  readonly resend: boolean;
}

/** An address that was confirmed, and for whom. */
export type Confirmed = Pick<ConfirmationDocument, "accountId" | "address">;

export const confirmationType = "mail.confirmation";
/** Where the link goes in a body: a token exists only in the mail itself. */
const linkMark = "<link>";
const tokenBytes = 32;
const tokenPattern = /^[\w-]{43}$/;
const keptDigests = 10;
/** Most accounts that may ask one address within the lifetime of their links. */
const maxAskers = 3;
/** Most confirmation mails of an account to one address within the lifetime of their links. */
const maxMails = 3;

const digestOf = (token: string): Buffer => createHash("sha256").update(token).digest();
const idOf = (accountId: string, address: string): string => `${accountId} ${address.toLowerCase()}`;

/**
 * Which addresses have agreed to get an account's mail. A confirmation mail contains a link that
 * expires and works once; until the address is confirmed, no other mail is sent to it.
 */
export class Confirmations {
  readonly #confirmations: Collection<ConfirmationDocument>;
  readonly #options: ConfirmationOptions;

  constructor(connection: Connection, options: ConfirmationOptions) {
    this.#confirmations = connection.collection<ConfirmationDocument>("mail_confirmations");
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#confirmations.createIndex({ endsAt: 1 }, { expireAfterSeconds: 0 });
    await this.#confirmations.createIndex({ digests: 1 }, { sparse: true });
    await this.#confirmations.createIndex({ address: 1 });
  }

  /** How long a link is valid, milliseconds. */
  get lifetimeMs(): number {
    return this.#options.lifetimeMs;
  }

  /** Those of the addresses that have not agreed to get the account's mail. */
  async unconfirmed(accountId: string, addresses: readonly string[]): Promise<string[]> {
    const doubtful = addresses.filter((address) => !this.#isExempt(address));
    if (doubtful.length === 0) return [];
    const Id = { $in: doubtful.map((address) => idOf(accountId, address)) };
    const found = await this.#confirmations.find({ _id: Id, confirmedAt: { $exists: true } }).toArray();
    const confirmed = new Set(found.map((one) => one._id));
    return doubtful.filter((address) => !confirmed.has(idOf(accountId, address)));
  }

  /** Those of the unconfirmed addresses that may get a confirmation mail now. */
  async unasked(accountId: string, addresses: readonly string[], asking: Asking): Promise<string[]> {
    if (addresses.length === 0) return [];
    const live = await this.#confirmations
      .aggregate<ConfirmationDocument>([
        {
          $match: { address: { $in: addresses.map((one) => one.toLowerCase()) }, $expr: { $gt: ["$endsAt", "$$NOW"] } },
        },
        { $project: { accountId: 1, address: 1, isDue: this.#mayResend(asking) } },
      ])
      .toArray();
    return addresses.filter((address) => {
      const askers = live.filter((one) => one.address === address.toLowerCase());
      const own = askers.find((one) => one.accountId === accountId);
      return own === undefined ? askers.length < maxAskers : own.isDue;
    });
  }

  /**
   * The confirmation mail, with `id` as the delivery's id; undefined when the address is confirmed
   * or has a valid link, which another caller may have sent in the meantime.
   */
  async ask(
    accountId: string,
    address: string,
    { id, ...asking }: Asking & { id: string },
  ): Promise<NewDelivery | undefined> {
    const { publicUrl, lifetimeMs } = this.#options;
    const isOpen = { $eq: [{ $type: "$confirmedAt" }, "missing"] };
    const isOver = { $lte: [{ $ifNull: ["$endsAt", new Date(0)] }, "$$NOW"] };
    const ifDue = (value: unknown, otherwise: string) => ({ $cond: ["$isDue", value, otherwise] });
    const ifOver = (value: unknown, otherwise: string) => ({ $cond: [{ $and: ["$isDue", isOver] }, value, otherwise] });
    const after = await this.#confirmations.findOneAndUpdate(
      { _id: idOf(accountId, address) },
      [
        { $set: { isDue: { $and: [isOpen, { $or: [isOver, this.#mayResend(asking)] }] } } },
        {
          $set: {
            accountId,
            address: address.toLowerCase(),
            askedAt: ifDue("$$NOW", "$askedAt"),
            mails: ifDue({ $add: [ifOver(0, "$mails"), 1] }, "$mails"),
            endsAt: ifOver({ $add: ["$$NOW", lifetimeMs] }, "$endsAt"),
            digests: ifOver([], "$digests"),
          },
        },
      ],
      { upsert: true, returnDocument: "after" },
    );
    if (after?.isDue !== true || after.endsAt === undefined) return undefined;
    const until = `${after.endsAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const body = [
      `Account ${accountId} of the AI gateway at ${publicUrl} wants to send spend alerts to this address.`,
      "",
      `If you want them, open this page by ${until} and press the button:`,
      linkMark,
      "",
      "If you do not, ignore this mail. The gateway sends nothing else until you confirm.",
      "",
    ].join("\n");
    const subject = "Confirm this address for spend alerts";
    return { _id: id, accountId, taskIds: [], url: `mailto:${address}`, type: confirmationType, subject, body };
  }

  /** The text of a mail; undefined when its address may not get it. */
  async textOf({ accountId, type, url, body }: DeliveryDocument): Promise<string | undefined> {
    const address = addressIn(url) ?? "";
    if (type !== confirmationType) {
      return (await this.unconfirmed(accountId, [address])).length === 0 ? body : undefined;
    }
    const token = randomBytes(tokenBytes).toString("base64url");
    const { matchedCount } = await this.#confirmations.updateOne(
      { _id: idOf(accountId, address), $expr: { $gt: ["$endsAt", "$$NOW"] } },
      { $push: { digests: { $each: [digestOf(token)], $slice: -keptDigests } } },
    );
    // The token is in the fragment: browsers do not send it, so no server logs it.
    return matchedCount === 0
      ? undefined
      : body.replace(linkMark, `${this.#options.publicUrl}/console/confirm-address#${token}`);
  }

  /** Confirms the address that a token was mailed to; undefined when the token is not valid. */
  async confirm(token: string): Promise<Confirmed | undefined> {
    if (!tokenPattern.test(token)) return undefined;
    const live = { digests: digestOf(token), $expr: { $gt: ["$endsAt", "$$NOW"] } };
    const confirmed = await this.#confirmations.findOneAndUpdate(live, [
      { $set: { confirmedAt: "$$NOW" } },
      { $unset: ["digests", "endsAt"] },
    ]);
    return confirmed ?? undefined;
  }

  /** Whether an account's valid link to an address may be followed by another mail. */
  #mayResend({ resend }: Asking) {
    const pauseIsOver = { $lte: ["$askedAt", { $subtract: ["$$NOW", this.#options.resendPauseMs] }] };
    return { $and: [resend, { $lt: ["$mails", maxMails] }, pauseIsOver] };
  }

  #isExempt(address: string): boolean {
    const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
    return this.#options.confirmedDomains.some((one) => one === "*" || one.toLowerCase() === domain);
  }
}
