import { z } from "zod";

/** Fields of the admin API's answers. */

export const count = z.int().min(0);
export const time = z.iso.datetime();
export const nano = z.int().describe("Nano-USD.");
export const usd = z.string().describe("USD, to the last nano-dollar.");
export const hash = z.string().describe("SHA-256 in hex, over the record and the hash before it.");
