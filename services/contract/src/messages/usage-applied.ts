import { z } from "zod";
import { jsonMessage } from "./json-message.ts";

/** NATS subject of {@link usageApplied}. */
export const usageAppliedSubject = "metering.usage-applied";

/** What a message names at most; of more, those that are not named learn of it with the next. */
export const maxAccountsNamed = 500;

/** Usage of these accounts was stored and charged. Whoever shows it may look again. */
export const usageApplied = jsonMessage(z.object({ account_ids: z.array(z.string()).max(maxAccountsNamed) }));
