import { inputItemsQuery, responseQuery } from "@uag/contract/requests/queries";
import { inputTokensRequest, responseRequest } from "@uag/contract/requests/responses";
import {
  deletedResponse,
  inputItemList,
  inputTokens,
  response,
  responseEvent,
} from "@uag/contract/responses/responses";
import type { Operation } from "../operation.ts";

const weather = {
  type: "function",
  name: "get_weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export const tags = {
  Responses:
    "Conversations in the format of OpenAI's Responses API, with any model. Where the model's provider has this API (OpenAI, xAI), request and response are passed on as sent, so that every field has the provider's effect; otherwise they are translated. An account with `store_responses` stores its responses, encrypted, for 30 days after they were created or last continued: `previous_response_id` then continues one with any model, and its conversation is billed as input. Nothing is stored at providers, and nothing at all for other accounts: they send the complete conversation.",
};

/** Responses, and those that are stored. */
export const endpoints = {
  responses: {
    id: "createResponse",
    tag: "Responses",
    summary: "Creates a response, in the Responses format",
    request: { ResponseRequest: responseRequest },
    ok: { json: { Response: response }, events: { ResponseEvent: responseEvent } },
    errors: ["previous_response_not_found"],
    examples: [
      { name: "text", summary: "A question", body: { model: "gpt-4o-mini", input: "Hello!" } },
      {
        name: "stream",
        summary: "The same, streamed",
        body: { model: "gpt-4o-mini", input: "Hello!", stream: true },
      },
      {
        name: "tools",
        summary: "A required tool call, by name",
        body: {
          model: "claude-sonnet-4-6",
          input: [{ role: "user", content: 'call get_weather {"city":"Oslo"}' }],
          tools: [weather],
          tool_choice: { type: "function", name: "get_weather" },
        },
      },
      {
        name: "reasoning",
        summary: "Reasoning with a summary, and encrypted for the next request",
        body: {
          model: "gpt-5-mini",
          input: "Which is larger, 9.9 or 9.11?",
          reasoning: { effort: "low", summary: "auto" },
          text: { verbosity: "low" },
          include: ["reasoning.encrypted_content"],
        },
      },
      {
        name: "web_search",
        summary: "A web search by the provider, for models with a price for it",
        body: {
          model: "gpt-5-mini",
          input: "search 1 time\nWhat happened today?",
          tools: [{ type: "web_search" }],
          max_tool_calls: 2,
          max_output_tokens: 2000,
        },
      },
    ],
  },
  "responses.input_tokens": {
    id: "countResponseInputTokens",
    tag: "Responses",
    summary: "Counts the input tokens of a response; free",
    request: { InputTokensRequest: inputTokensRequest },
    ok: { json: { InputTokens: inputTokens } },
    callsProvider: true,
    examples: [{ name: "text", summary: "A question", body: { model: "gpt-4o-mini", input: "Hello!" } }],
  },
  "responses.get": {
    id: "getResponse",
    tag: "Responses",
    summary: "Shows a stored response, as its client received it",
    ok: { json: { Response: response } },
    query: responseQuery.shape,
  },
  "responses.delete": {
    id: "deleteResponse",
    tag: "Responses",
    summary: "Deletes a stored response; responses that continue it cannot be continued any more",
    ok: { json: { DeletedResponse: deletedResponse } },
  },
  "responses.input_items": {
    id: "listInputItems",
    tag: "Responses",
    summary: "Lists the conversation that a stored response responds to",
    ok: { json: { InputItemList: inputItemList } },
    query: inputItemsQuery.shape,
  },
} satisfies Readonly<Record<string, Operation>>;
