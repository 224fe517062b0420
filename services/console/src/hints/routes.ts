import { type Request, type Response, Router } from "express";
import { personOf } from "../people/authenticate.ts";
import type { Sessions } from "../sign-in/sessions.ts";
import type { HintHub } from "./hub.ts";

const heartbeatMs = 15_000;
/** A page that does not read is disconnected; it connects again when it does. */
const maxUnread = 64 * 1024;
/** After this a page connects again, so that a session that has ended gets no more. */
const maxOpenMs = 600_000;
const reconnectMs = 2_000;

/** `/events`: hints as server-sent events, for as long as the page is open. */
export function hintRoutes(hub: HintHub, sessions: Sessions): Router {
  const router = Router();
  router.get("/events", (request, response) => stream(request, response, { hub, sessions }));
  return router;
}

function stream(
  _request: Request,
  response: Response,
  { hub, sessions }: { readonly hub: HintHub; readonly sessions: Sessions },
): void {
  const { user, session, cookie } = personOf(response);
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const write = (text: string): void => {
    if (response.writableLength > maxUnread) response.destroy();
    else response.write(text);
  };
  write(`retry: ${reconnectMs}\n\n`);
  const stop = hub.listen(user.accountId, (hint) => write(`data: ${JSON.stringify(hint)}\n\n`));
  const check = async (): Promise<void> => {
    if ((await sessions.find(cookie)) === undefined) response.end();
    else write(": here\n\n");
  };
  const beat = setInterval(() => void check().catch(() => response.end()), heartbeatMs);
  const untilEndMs = Math.min(maxOpenMs, session.endsAtLatest.getTime() - Date.now());
  const end = setTimeout(() => response.end(), untilEndMs);
  response.once("close", () => {
    stop();
    clearInterval(beat);
    clearTimeout(end);
  });
}
