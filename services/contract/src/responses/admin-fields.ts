import { z } from "zod";

/** Fields of the admin API's answers. */

/** A number of things, from 0 on. */
export const count = z.int().min(0);
/** A moment in ISO 8601, UTC. */
export const time = z.iso.datetime();
/** An amount in nano-USD, as an integer. */
export const nano = z.int().describe("Nano-USD.");
/** An amount in USD as text, with nine decimals: no client rounds it by reading it as a float. */
export const usd = z.string().describe("USD, to the last nano-dollar.");
/** A link of a hash chain. */
export const hash = z.string().describe("SHA-256 in hex, over the record and the hash before it.");
