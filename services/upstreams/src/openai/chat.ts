import type { Upstream } from "@uag/catalog/types.ts";
import { UpstreamFailure } from "../failure.ts";
import type { GenerationAdapter, UsageReport, WholeAnswer } from "../generation.ts";
import { topLevelMembers } from "../json-edit.ts";
import { collectChat } from "./collect.ts";
import type { OpenAiDialect } from "./dialect.ts";
import { errorInside, openAiFailure } from "./errors.ts";
import { encodeChat } from "./request.ts";
import { OpenAiStream } from "./stream.ts";
import { generatedText } from "./text.ts";
import { unitsOfUsage } from "./usage.ts";

/** OpenAI's chat format to an upstream that speaks it: the bytes pass through both ways. */
export function openAiChat(dialect: OpenAiDialect): GenerationAdapter {
  return {
    encode: (call, upstream) => encodeChat(call, upstream, dialect),
    decode: (body, _call, upstream) => decodeChat(body, upstream, dialect),
    collect: (body, _call, upstream) => collectChat(body, upstream, dialect),
    openStream: (call, upstream) => new OpenAiStream(call, upstream, dialect),
    failureOf: (answer, upstream) => openAiFailure(answer, upstream, dialect),
  };
}

function decodeChat(body: Buffer, upstream: Upstream, dialect: OpenAiDialect): WholeAnswer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new UpstreamFailure("transient", "the upstream's answer is not JSON", { status: 200, cause: error });
  }
  const failure = errorInside(value, upstream, dialect);
  if (failure !== undefined) throw failure;
  if (!Array.isArray((value as { choices?: unknown } | null)?.choices)) {
    throw new UpstreamFailure("transient", "the upstream's answer has no choices", { status: 200 });
  }
  return { body, usage: usageOf(body, value), deliveredText: () => generatedText(value) };
}

function usageOf(body: Buffer, value: unknown): UsageReport | undefined {
  const units = unitsOfUsage((value as { usage?: unknown }).usage);
  if (units === undefined) return undefined;
  const member = topLevelMembers(body).findLast(({ key }) => key === "usage");
  return { units, raw: member === undefined ? Buffer.alloc(0) : body.subarray(member.valueStart, member.end) };
}
