import { parseCookie } from "cookie";
import type { Request, Response } from "express";

const maxHeaderLength = 8_192;

/** The router in front sets the header for its client's protocol. */
export const isSecure = (request: Request): boolean => request.headers["x-forwarded-proto"] === "https";

/** A cookie of ours in a request; undefined when there is none. */
export function cookieOf(request: Request, name: string): string | undefined {
  const header = request.headers.cookie;
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const value = parseCookie(header)[name];
  return value === undefined || value === "" ? undefined : value;
}

const options = { httpOnly: true, sameSite: "lax", path: "/console" } as const;

export function setCookie(request: Request, response: Response, name: string, value: string, maxAge: number): void {
  response.cookie(name, value, { ...options, secure: isSecure(request), maxAge });
}

export function clearCookie(request: Request, response: Response, name: string): void {
  response.clearCookie(name, { ...options, secure: isSecure(request) });
}
