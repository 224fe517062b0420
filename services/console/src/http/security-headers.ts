import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * What a browser may do with the console's pages. Scripts come from here alone and are never
 * inline; styles may be, for the component library sets them so.
 * @param contentOrigins where pictures, sound and films of answers may come from besides
 */
export function securityHeaders(contentOrigins: readonly string[]): RequestHandler {
  const media = ["'self'", "data:", "blob:", ...contentOrigins];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: media,
        mediaSrc: media,
        fontSrc: ["'self'", "data:"],
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // Whoever ends TLS in front says whether there is to be nothing else.
    strictTransportSecurity: false,
    referrerPolicy: { policy: "same-origin" },
    xFrameOptions: { action: "deny" },
  });
}
