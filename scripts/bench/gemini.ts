/** The requests in Gemini's format and the expected responses, shared by both ends of the benchmark. */
import { isOk, WrongResponse } from "./check-json.ts";
import { responseText } from "./responses.ts";

const usage = { promptTokenCount: 24, candidatesTokenCount: 9, totalTokenCount: 33 } as const;

/** The model that gateways are called with, which Gemini serves. */
export const geminiModel = "gemini-2.5-flash";

/** The path of a request, behind `/v1`. */
export const geminiPath = `/models/${geminiModel}:generateContent`;

/** The body of a request; its nonce is in the prompt. */
export function geminiBody(nonce: string): string {
  return JSON.stringify({
    systemInstruction: { parts: [{ text: "Reply briefly and to the point." }] },
    contents: [{ role: "user", parts: [{ text: `Say something about foxes, please. nonce=${nonce}` }] }],
    generationConfig: { maxOutputTokens: 256, temperature: 0.2 },
  });
}

/** The response to the request with that nonce. */
export function geminiResponse(nonce: string): string {
  const content = { role: "model", parts: [{ text: responseText(nonce) }] };
  const candidates = [{ content, finishReason: "STOP", index: 0 }];
  return JSON.stringify({ candidates, usageMetadata: usage, modelVersion: geminiModel, responseId: `r-${nonce}` });
}

/** Throws unless this is the complete, correct response to the request with that nonce. */
export function checkGeminiResponse(response: {
  readonly head: string;
  readonly body: string;
  readonly nonce: string;
}): void {
  if (!isOk(response.head)) throw new WrongResponse("not a 200", response);
  if (response.body !== geminiResponse(response.nonce)) throw new WrongResponse("other bytes", response);
}
