import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { newId } from "@uag/runtime/ids";
import type { Model } from "mongoose";
import type { DelegatedCredential, SessionDocument } from "../store/sessions.ts";

export interface SessionTimes {
  /** Milliseconds. */
  readonly idleMs: number;
  readonly maxMs: number;
}

/** A session together with the cookie that opened it. */
export interface OpenSession {
  readonly session: SessionDocument;
  readonly cookie: string;
}

const cookieBytes = 32;
const cookiePattern = /^[\w-]{43}$/;
/** A session's end is extended at most this often, milliseconds. */
const touchMs = 60_000;
const maxAgentLength = 300;
/** The most credentials recorded with a session. Further ones expire on their own. */
const maxCredentials = 64;
const maxListed = 200;

const digestOf = (cookie: string): Buffer => createHash("sha256").update(cookie).digest();

/**
 * The CSRF token, which every request that changes something has to contain. A page of another site
 * cannot read it.
 */
export const csrfTokenOf = (cookie: string): string => createHmac("sha256", cookie).update("csrf").digest("base64url");

/** True when a request carries its session's token. */
export function isCsrfToken(given: string | undefined, cookie: string): boolean {
  const expected = Buffer.from(csrfTokenOf(cookie));
  const sent = Buffer.from(given ?? "");
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

/** Sessions in MongoDB, shared by all replicas. */
export class Sessions {
  readonly #model: Model<SessionDocument>;
  readonly #times: SessionTimes;

  constructor(model: Model<SessionDocument>, times: SessionTimes) {
    this.#model = model;
    this.#times = times;
  }

  async open(userId: string, from: { address: string; userAgent: string }): Promise<OpenSession> {
    const now = Date.now();
    const cookie = randomBytes(cookieBytes).toString("base64url");
    const latest = now + this.#times.maxMs;
    const session: SessionDocument = {
      _id: newId("ses"),
      digest: digestOf(cookie),
      userId,
      createdAt: new Date(now),
      seenAt: new Date(now),
      endsAt: new Date(Math.min(now + this.#times.idleMs, latest)),
      endsAtLatest: new Date(latest),
      address: from.address,
      userAgent: from.userAgent.slice(0, maxAgentLength),
      borrowed: [],
    };
    await this.#model.create([session]);
    return { session, cookie };
  }

  /** The session that a cookie opens; undefined when it has ended, or never was. */
  async find(cookie: string | undefined): Promise<OpenSession | undefined> {
    if (cookie === undefined || !cookiePattern.test(cookie)) return undefined;
    const now = new Date();
    const live = { digest: digestOf(cookie), endsAt: { $gt: now } };
    const session = await this.#model.findOne(live).lean<SessionDocument>();
    if (session === null) return undefined;
    if (now.getTime() - session.seenAt.getTime() < touchMs) return { session, cookie };
    const endsAt = new Date(Math.min(now.getTime() + this.#times.idleMs, session.endsAtLatest.getTime()));
    await this.#model.updateOne({ _id: session._id }, { $set: { seenAt: now, endsAt } });
    return { session: { ...session, seenAt: now, endsAt }, cookie };
  }

  /** A user's sessions, newest first. */
  ofUser(userId: string): Promise<SessionDocument[]> {
    return this.#model
      .find({ userId, endsAt: { $gt: new Date() } })
      .sort({ _id: -1 })
      .limit(maxListed)
      .lean<SessionDocument[]>();
  }

  /** Records a credential created for a session. False when the session has ended. */
  async addCredential(sessionId: string, credential: DelegatedCredential): Promise<boolean> {
    const push = { borrowed: { $each: [credential], $slice: -maxCredentials } };
    return (await this.#model.updateOne({ _id: sessionId }, { $push: push })).matchedCount === 1;
  }

  /** Ends a session of a user; undefined when there is none. */
  async end(userId: string, sessionId: string): Promise<SessionDocument | undefined> {
    return (await this.#model.findOneAndDelete({ _id: sessionId, userId }).lean<SessionDocument>()) ?? undefined;
  }

  /** Ends a user's sessions. @returns those that were ended */
  async endAll(userId: string, exceptId?: string): Promise<SessionDocument[]> {
    const ended: SessionDocument[] = [];
    const filter = { userId, ...(exceptId !== undefined && { _id: { $ne: exceptId } }) };
    for (;;) {
      const session = await this.#model.findOneAndDelete(filter).lean<SessionDocument>();
      if (session === null) return ended;
      ended.push(session);
    }
  }
}
