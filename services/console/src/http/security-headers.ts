import type { RequestHandler } from "express";
import helmet from "helmet";

/**
 * What a browser may do with the console's pages. Scripts come only from here and are never
 * inline; styles may be, because the component library sets them inline.
 * @param contentOrigins additional sources of images, audio and video in responses
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
    // HSTS is set by whatever terminates TLS in front.
    strictTransportSecurity: false,
    referrerPolicy: { policy: "same-origin" },
    xFrameOptions: { action: "deny" },
  });
}
