import { toolTurnsOf, withoutReminders } from "../content/conversation.ts";
import { reasoningTokensFor } from "../content/plan.ts";
import type { Seen, Tool, Turn } from "../content/turn.ts";
import type { Call } from "../http/types.ts";
import type { GeminiModel } from "./models.ts";
import type { Content, GenerateRequest } from "./schema.ts";

function textIn(content: Content | undefined): string {
  return (content?.parts ?? []).flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");
}

function resultsIn(content: Content | undefined): string[] {
  return (content?.parts ?? []).flatMap(({ functionResponse }) => {
    if (functionResponse === undefined) return [];
    const { output, result } = functionResponse.response;
    const plain = output ?? result;
    return [typeof plain === "string" ? plain : JSON.stringify(functionResponse.response)];
  });
}

function toolsOf(request: GenerateRequest): Tool[] {
  const allowed = request.toolConfig?.functionCallingConfig?.allowedFunctionNames;
  const declared = (request.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
  return declared
    .filter(({ name }) => allowed === undefined || allowed.includes(name))
    .map(({ name, parameters, parametersJsonSchema }) => ({ name, schema: parameters ?? parametersJsonSchema }));
}

function formatOf(request: GenerateRequest): Turn["format"] {
  const { responseMimeType, responseSchema, responseJsonSchema } = request.generationConfig ?? {};
  const schema = responseSchema ?? responseJsonSchema;
  if (schema !== undefined) return { kind: "schema", schema };
  return responseMimeType === "application/json" ? { kind: "json" } : { kind: "text" };
}

function reasoningTokens(request: GenerateRequest, model: GeminiModel): number {
  const { thinkingBudget: budget = -1, thinkingLevel: level } = request.generationConfig?.thinkingConfig ?? {};
  const thinksByDefault = model.thinking !== "never" && model.id !== "gemini-2.5-flash-lite";
  if (budget === 0 || (!thinksByDefault && budget < 0)) return 0;
  const tokens = reasoningTokensFor(level?.toLowerCase());
  return budget > 0 ? Math.min(tokens, budget) : tokens;
}

const modes = { AUTO: "auto", VALIDATED: "auto", MODE_UNSPECIFIED: "auto", ANY: "required", NONE: "none" } as const;

function seenIn(content: Content | undefined): Seen {
  const types = (content?.parts ?? []).map(({ inlineData, fileData }) => (inlineData ?? fileData)?.mimeType ?? "");
  const count = (kind: string): number => types.filter((type) => type.startsWith(`${kind}/`)).length;
  return { images: count("image"), sounds: count("audio"), videos: count("video"), files: count("application") };
}

/** Converts a generateContent request to a turn. */
export function turnOf(call: Call, request: GenerateRequest, model: GeminiModel): Turn {
  const last = request.contents.at(-1);
  return {
    digest: call.digest,
    provider: "gemini",
    model: model.id,
    userText: last?.role === "model" ? "" : withoutReminders(textIn(last)),
    seen: seenIn(last),
    system: request.systemInstruction !== undefined,
    toolTurns: toolTurnsOf(
      request.contents.map(({ role, parts }) => ({
        byModel: role === "model",
        callsTools: parts.some(({ functionCall }) => functionCall !== undefined),
      })),
    ),
    toolResults: resultsIn(last),
    tools: toolsOf(request),
    toolChoice: modes[request.toolConfig?.functionCallingConfig?.mode ?? "AUTO"],
    parallelTools: true,
    format: formatOf(request),
    reasoningTokens: reasoningTokens(request, model),
    echo: { body: call.body, headers: call.shownHeaders },
  };
}
