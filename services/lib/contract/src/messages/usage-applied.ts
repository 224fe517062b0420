import { z } from "zod";
import { jsonMessage } from "./json-message.ts";

/** NATS subject of {@link usageApplied}. */
export const usageAppliedSubject = "metering.usage-applied";

/** Most accounts named in one message; any others are named in the next. */
export const maxAccountsNamed = 500;

/** Usage of these accounts was stored and charged. Views of it may refresh. */
export const usageApplied = jsonMessage(z.object({ account_ids: z.array(z.string()).max(maxAccountsNamed) }));
