import { GatewayError } from "@uag/contract/errors/gateway-error";
import type { Secret } from "@uag/proto/notifications/v1/notifications.ts";
import type { SecretEntry, SecretStore } from "../secrets/secrets.ts";
import { type Methods, missing, requireAccount, stored } from "./method.ts";

const usualOverlapMs = 24 * 3_600_000;

export function secretMethods(secrets: SecretStore): Methods<"rotateSecret" | "listSecrets" | "endSecret"> {
  return {
    async rotateSecret({ accountId, overlapMs, immediately, actor }) {
      requireAccount(accountId);
      const overlap = immediately ? 0 : Number(overlapMs) || usualOverlapMs;
      if (overlap < 0) throw new GatewayError("invalid_request", undefined, { param: "overlap_ms" });
      const { secret, made, earlierUntil } = await stored(secrets.rotate(accountId, { overlapMs: overlap, actor }));
      const earlierUntilMs = BigInt(earlierUntil?.getTime() ?? 0);
      return { secret, earlierUntilMs, made: secretMessage(accountId, made) };
    },
    async listSecrets({ accountId }) {
      requireAccount(accountId);
      const found = await stored(secrets.list(accountId));
      return { secrets: found.map((entry) => secretMessage(accountId, entry)) };
    },
    async endSecret({ id }) {
      const ended = await stored(secrets.end(id));
      if (ended === undefined) throw missing("No valid secret with this id exists.");
      return secretMessage(ended.accountId, ended.entry);
    },
  };
}

function secretMessage(accountId: string, { id, hint, createdAt, createdBy, endsAt }: SecretEntry): Secret {
  const createdAtMs = BigInt(createdAt.getTime());
  return { id, accountId, hint, createdAtMs, endsAtMs: BigInt(endsAt?.getTime() ?? 0), createdBy };
}
