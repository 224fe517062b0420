import { tokenUsage } from "@uag/contract/responses/chat";
import { z } from "zod";

/** `model` of a request, with a hint where to find one. */
export const modelField = (model: z.ZodString): z.ZodString =>
  model.describe("A model id, from this tool's description or list_models.");

/**
 * An optional field of a request. Its null, which means the same as absence, is left out of tools.
 */
export function optionalField<S extends z.ZodType>(field: z.ZodOptional<z.ZodNullable<S>>): z.ZodOptional<S> {
  return field.unwrap().unwrap().optional();
}

/** The numbers of tokens; their kinds matter only to pricing. */
export const usage = tokenUsage.pick({ prompt_tokens: true, completion_tokens: true, total_tokens: true });

export const costUsd = z
  .number()
  .optional()
  .describe("The cost of the call in USD, if known when the response is returned.");

/** The `x-gateway-cost-usd` of a response. */
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
