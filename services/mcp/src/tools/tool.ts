import type {
  CallToolResult,
  ContentBlock,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { z } from "zod";
import type { Exchange } from "../exchange.ts";
import { ApiError } from "../gateway/api-error.ts";
import { type Model, priceLine } from "../gateway/models.ts";
import { ToolError, toolError } from "./tool-error.ts";

/** One call of a tool. */
export interface ToolCall {
  readonly exchange: Exchange;
  /** Fires when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /**
   * With this key a billed request runs once, however often it is sent, and also when the client
   * disconnects.
   */
  readonly idempotencyKey: string | undefined;
  /** Reports progress to the client; undefined when it did not request that. */
  readonly progress: ((done: number, message: string) => Promise<void>) | undefined;
}

export interface ToolResponse<O> {
  readonly structured: O;
  /** The text for the model; default: the structured result as JSON. */
  readonly content?: readonly ContentBlock[];
}

export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Its effect and its cost, for the model that chooses among tools. */
  readonly description: string;
  /** The tool is listed only for keys with a model of this operation; none: always. */
  readonly operation?: string;
  /**
   * The client's cancellation ends its upstream call: it is sent without a key, unless the client
   * has one.
   */
  readonly cancellable?: true;
  readonly annotations: ToolAnnotations;
  readonly input: I;
  readonly output: O;
  run(args: z.infer<I>, call: ToolCall): Promise<ToolResponse<z.infer<O>>>;
}

export interface Tool {
  readonly name: string;
  readonly operation: string | undefined;
  readonly input: z.ZodObject;
  register(server: McpServer, exchange: Exchange): void;
}

/**
 * Creates a tool from its definition: every tool is registered, timed and refused in the same way.
 */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(definition: ToolDefinition<I, O>): Tool {
  const { name, title, annotations, input: inputSchema, output: outputSchema, operation } = definition;
  return {
    name,
    operation,
    input: inputSchema,
    register(server, exchange) {
      const description = described(definition, exchange.models);
      // The SDK has validated the arguments against the schema.
      const handle = (args: unknown, context: ServerContext) =>
        runTool(definition, args as z.infer<I>, callOf(definition, exchange, context));
      server.registerTool<StandardSchemaWithJSON, StandardSchemaWithJSON>(
        name,
        {
          title,
          description,
          annotations: { title, ...annotations },
          inputSchema,
          outputSchema: trusted(outputSchema),
        },
        handle,
      );
    },
  };
}

/**
 * The schema shown to clients, without validation: a tool's result is ours, and may have
 * stand-ins for large values.
 */
function trusted(schema: z.ZodObject): StandardSchemaWithJSON {
  return { "~standard": { ...(schema as StandardSchemaWithJSON)["~standard"], validate: (value) => ({ value }) } };
}

const maxKeyChars = 255;

/** With more models than this only their ids are listed. */
const maxPriced = 12;

function described(
  { description, operation }: ToolDefinition<z.ZodObject, z.ZodObject>,
  all: readonly Model[],
): string {
  if (operation === undefined) return description;
  const models = modelsFor(operation, all);
  if (models.length > maxPriced)
    return `${description} Models: ${models.map(({ id }) => id).join(", ")}. list_models lists prices.`;
  const lines = models.map((model) => `- ${model.id}: ${priceLine(model)}`);
  return [`${description} Models, with prices in USD (tokens and characters by the million):`, ...lines].join("\n");
}

export function modelsFor(operation: string, models: readonly Model[]): readonly Model[] {
  return models.filter(({ operations }) => operations.includes(operation));
}

function callOf({ cancellable }: { cancellable?: true }, exchange: Exchange, { mcpReq }: ServerContext): ToolCall {
  const progressToken = mcpReq._meta?.progressToken;
  const prefix = exchange.idempotencyKey ?? (cancellable ? undefined : exchange.requestId);
  return {
    exchange,
    signal: AbortSignal.any([mcpReq.signal, exchange.signal]),
    idempotencyKey: prefix === undefined ? undefined : `${prefix}-${mcpReq.id}`.slice(0, maxKeyChars),
    progress:
      progressToken === undefined
        ? undefined
        : (progress, message) =>
            mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } }),
  };
}

async function runTool<I extends z.ZodObject, O extends z.ZodObject>(
  definition: ToolDefinition<I, O>,
  args: z.infer<I>,
  call: ToolCall,
): Promise<CallToolResult> {
  const { events } = call.exchange;
  const startedAt = performance.now();
  const ended = (error?: ApiError): void =>
    events.called(definition.name, (performance.now() - startedAt) / 1_000, error);
  try {
    const { structured, content } = await definition.run(args, call);
    ended();
    const text: ContentBlock = { type: "text", text: JSON.stringify(structured) };
    return { content: [...(content ?? [text])], structuredContent: structured };
  } catch (error) {
    call.signal.throwIfAborted();
    ended(error instanceof ApiError ? error : undefined);
    if (error instanceof GatewayError) events.refused(error, call.exchange.requestId);
    else if (!(error instanceof ApiError || error instanceof ToolError)) events.failed(error, call.exchange.requestId);
    return toolError(error);
  }
}
