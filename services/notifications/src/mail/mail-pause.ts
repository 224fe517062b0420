import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Collection, Connection } from "mongoose";
import { addressIn } from "./mail.ts";

interface PauseDocument {
  /** An account and a recipient. */
  readonly _id: string;
  /** When the account last sent mail there. */
  readonly at: Date;
  /** What was left of the pause when mail was to be sent there again; 0 when it was over. */
  readonly leftMs?: number;
}

const keptSeconds = 86_400;

/** Keeps an account from repeating mail to a recipient too soon, by the database's clock. */
export class MailPause {
  readonly #pauses: Collection<PauseDocument>;
  readonly #pauseMs: number;
  readonly #refused: (accountId: string) => void;

  constructor(connection: Connection, pauseMs: number, refused: (accountId: string) => void) {
    this.#pauses = connection.collection<PauseDocument>("mail_pauses");
    this.#pauseMs = pauseMs;
    this.#refused = refused;
  }

  async open(): Promise<void> {
    await this.#pauses.createIndex({ at: 1 }, { expireAfterSeconds: keptSeconds });
  }

  /** Records that mail is sent to a `mailto:` URL now. */
  async begin(accountId: string, url: string): Promise<void> {
    await this.#pauses.updateOne({ _id: idOf(accountId, url) }, [{ $set: { at: "$$NOW" } }], { upsert: true });
  }

  /**
   * Begins a pause unless there is one.
   * @throws {GatewayError} `rate_limit_exceeded` during a pause
   */
  async requireOver(accountId: string, url: string): Promise<void> {
    const pauseMs = this.#pauseMs;
    const sinceMs = { $subtract: ["$$NOW", { $ifNull: ["$at", new Date(0)] }] };
    const after = await this.#pauses.findOneAndUpdate(
      { _id: idOf(accountId, url) },
      [
        { $set: { leftMs: { $max: [0, { $subtract: [pauseMs, sinceMs] }] } } },
        { $set: { at: { $cond: [{ $eq: ["$leftMs", 0] }, "$$NOW", "$at"] } } },
      ],
      { upsert: true, returnDocument: "after" },
    );
    const retryAfterMs = Number(after?.leftMs ?? 0);
    if (retryAfterMs === 0) return;
    this.#refused(accountId);
    const recently = `Mail was sent to ${addressIn(url) ?? "this address"} less than ${Math.ceil(pauseMs / 60_000)} minutes ago.`;
    const text = `${recently} Wait for \`retry-after\` before you replay it.`;
    throw new GatewayError("rate_limit_exceeded", text, { retryAfterMs });
  }
}

const idOf = (accountId: string, url: string): string => `${accountId} ${url.toLowerCase()}`;
