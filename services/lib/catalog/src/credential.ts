import { createHash } from "node:crypto";
import { publicIdOf, type Secret, secretOf } from "./identity.ts";
import { nanoUsd } from "./nano-usd.ts";
import type { Credential, SpendCaps } from "./types.ts";

const shownCharacters = 4;
/** Of a shorter secret four characters would be too much. */
const leastLength = 16;
/** What a header may have. */
const headerText = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/;

/** Such as `sk-...abcd`, or `entra ...abcd`, by which people tell credentials apart. */
export function hintOf(secret: string): string {
  const read = secretOf(secret);
  return typeof read === "string" ? "..." : shownSecret(read);
}

function shownSecret({ apiKey, identity }: Secret): string {
  return identity === undefined ? masked(apiKey) : `${identity.type} ${masked(publicIdOf(identity))}`;
}

function masked(secret: string): string {
  if (secret.length < leastLength) return "...";
  const [prefix = ""] = /^[a-z]{2,6}-/i.exec(secret) ?? [];
  return `${prefix}...${secret.slice(-shownCharacters)}`;
}

/** What is known of a credential before its secret is resolved. */
export type CredentialRow = Pick<Credential, "id" | "name" | "weight" | "priority" | "account" | "caps">;

/** The caps of a credential, USD as they are set; 0 or undefined: none. */
export function capsOf(dailyUsd = 0, monthlyUsd = 0): SpendCaps | undefined {
  const [daily, monthly] = [dailyUsd, monthlyUsd].map((usd) => (usd === 0 ? undefined : nanoUsd(usd)));
  return daily === undefined && monthly === undefined ? undefined : { daily, monthly };
}

/** 32 bits that differ between names and are the same in every process. */
export const seedOf = (name: string): number => createHash("sha256").update(name).digest().readUInt32LE();

/** The file's only key, and a provider that is called without one. */
export const onlyCredential: CredentialRow = { id: "", name: "", weight: 1, priority: 0, account: "" };

/** @param secret without key and identity: the provider is called without one */
export function credentialOf(provider: string, row: CredentialRow, secret: Secret): Credential {
  const { id, weight, priority, caps } = row;
  const seed = seedOf(`${provider}\n${id}`);
  // An account's name cannot be mistaken for the id of a credential that is its own account.
  const account = row.account === "" ? `=${id}` : row.account;
  return { id, name: shownName(row.name, secret), weight, priority, account, ...(caps && { caps }), seed };
}

function shownName(name: string, secret: Secret): string {
  if (headerText.test(name)) return name;
  return secret.apiKey === "" && secret.identity === undefined ? "" : shownSecret(secret);
}
