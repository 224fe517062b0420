import { modelId as model } from "@uag/contract/requests/fields.ts";
import { tokenUsage } from "@uag/contract/responses/chat.ts";
import { z } from "zod";

export const modelId = model.describe("Id of a model, from this tool's description or list_models.");

/** Of the tokens their numbers; kinds of tokens are for who prices them. */
export const usage = tokenUsage.pick({ prompt_tokens: true, completion_tokens: true, total_tokens: true });

export const costUsd = z.number().optional().describe("What the call cost, in USD, where it is known with the answer.");

export const seed = z.int().min(0).max(2_147_483_647).optional().describe("For results that can be repeated.");

/** The `x-gateway-cost-usd` of an answer. */
export function costOf(headers: { get(name: string): string | null }): { cost_usd?: number } {
  const text = headers.get("x-gateway-cost-usd");
  return text === null ? {} : { cost_usd: Number(text) };
}

/** Fields that have a value. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
