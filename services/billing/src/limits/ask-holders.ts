import { limitRecall, limitRecallResponse, limitRecallSubjects } from "@uag/contract/messages/billing";
import type { Bus } from "@uag/runtime/bus";

type Message = Parameters<typeof limitRecall.encode>[0];
type Reply = ReturnType<typeof limitRecallResponse.decode>;

/** A message to the holders of a key's permits, and what is done with their replies. */
export interface HoldersRequest {
  readonly keyId: string;
  readonly message: Omit<Message, "reply_to">;
  readonly waitMs: number;
  /** Called with each reply, undefined for an unreadable one; returns whether it was the last. */
  heard(reply: Reply): boolean;
}

/** Asks the holders of a key's permits over NATS and waits for their replies, at most `waitMs`. */
export async function askHolders(bus: Bus, request: HoldersRequest): Promise<void> {
  const { connection } = bus;
  const replyTo = bus.inbox();
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(done.resolve, request.waitMs);
  const subscription = connection.subscribe(replyTo, {
    callback: (error, message) => {
      if (request.heard(error === null ? limitRecallResponse.decode(message.data) : undefined)) done.resolve();
    },
  });
  try {
    const payload = limitRecall.encode({ ...request.message, reply_to: replyTo });
    connection.publish(limitRecallSubjects.of(request.keyId), payload);
    await done.promise;
  } finally {
    clearTimeout(timer);
    subscription.unsubscribe();
  }
}
