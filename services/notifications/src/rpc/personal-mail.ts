import { GatewayError } from "@uag/contract/errors/gateway-error";
import { z } from "zod";
import type { Mailer } from "../mail/mail.ts";
import type { Methods } from "./method.ts";

const mail = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  to: z.email().max(254),
  subject: z.string().min(1).max(200),
  text: z.string().min(1).max(10_000),
});

/** Mail to a user of the console, whose links are secrets: it is sent at once and not stored. */
export function personalMailMethods({
  mailer,
}: {
  readonly mailer: Mailer | undefined;
}): Methods<"describeMail" | "sendMail"> {
  return {
    describeMail: () => Promise.resolve({ configured: mailer !== undefined }),
    async sendMail(request) {
      if (mailer === undefined) throw new GatewayError("not_found", "No mail server is configured.");
      const { data, error } = mail.safeParse(request);
      if (data === undefined) throw new GatewayError("invalid_request", error.issues[0]?.message, { param: "to" });
      const outcome = await mailer.send(data);
      if (outcome.error !== "")
        throw new GatewayError("service_unavailable", undefined, { cause: new Error(outcome.error) });
      return {};
    },
  };
}
