import { createEnvelopeRequest } from "@uag/contract/requests/envelopes";
import { envelope, envelopeWithCosts, newEnvelope } from "@uag/contract/responses/envelopes";
import { targetFrom } from "@uag/runtime/http/target";
import { z } from "zod";
import { present } from "./schemas.ts";
import { defineTool } from "./tool.ts";

const path = "/v1/envelopes";
/** The costs of a hundred envelopes by model. */
const maxResponseBytes = 4 * 1024 * 1024;

const id = z
  .string()
  .regex(/^env_\w{1,100}$/, "Must be an id that open_envelope returned.")
  .describe("The envelope's id.");

const pathOf = (suffix: string, id: string): string =>
  targetFrom(`${path}/:id${suffix}`, { id }, new URLSearchParams());

const { ttl, models, parent, name } = createEnvelopeRequest.shape;

export const openEnvelope = defineTool({
  name: "open_envelope",
  title: "Open an envelope",
  description:
    "Opens an envelope for a sub-agent: an API key whose requests can cost at most max_usd together, until it expires. They are also limited and charged by this key. Free.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: z.object({
    max_usd: z.number().positive().max(100_000).describe("The most that all requests of the key may cost, USD."),
    ttl: ttl.default(3_600),
    models: models.describe("Models that it may use; default: those of this key."),
    parent: parent.describe("An envelope of this key to open it in."),
    name,
  }),
  output: newEnvelope,
  async run({ max_usd, ...fields }, { exchange, signal }) {
    // A number as JSON may have more decimals than an amount.
    const json = { max_usd: max_usd.toFixed(9), ...present(fields) };
    const response = await exchange.call({ method: "POST", path, json, signal });
    return { structured: newEnvelope.parse(await exchange.readJson(response, maxResponseBytes)) };
  },
});

export const getEnvelope = defineTool({
  name: "get_envelope",
  title: "Get an envelope",
  description: "Returns what an envelope has left, and what it and those below it cost by model. Free.",
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ id }),
  output: envelopeWithCosts,
  async run({ id }, { exchange, signal }) {
    const response = await exchange.call({ method: "GET", path: pathOf("", id), signal });
    return { structured: envelopeWithCosts.parse(await exchange.readJson(response, maxResponseBytes)) };
  },
});

export const closeEnvelope = defineTool({
  name: "close_envelope",
  title: "Close an envelope",
  description:
    "Closes an envelope and those below it: their keys stop working, and what is left is available again. Free.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ id }),
  output: envelope,
  async run({ id }, { exchange, signal }) {
    const response = await exchange.call({ method: "POST", path: pathOf("/close", id), signal });
    return { structured: envelope.parse(await exchange.readJson(response, maxResponseBytes)) };
  },
});
