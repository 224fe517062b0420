import { crashPoint } from "@uag/kit/crash-point.ts";
import { bearerKey } from "../keys/bearer.ts";
import type { KeyCache } from "../keys/key-cache.ts";
import type { Handler } from "../request-state.ts";

/** Lets a request pass whose key is good: 401 otherwise, 503 when nobody can tell. */
export function authenticate(keys: KeyCache): Handler {
  return (request, response, next) => {
    const found = keys.find(bearerKey(request.headers, request.rawHeaders));
    if (found instanceof Promise) {
      return found.then((key) => {
        response.locals.key = key;
        crashPoint("authenticated");
        next();
      });
    }
    response.locals.key = found;
    crashPoint("authenticated");
    next();
  };
}
