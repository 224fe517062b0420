import { useState } from "react";
import { useUser } from "../../session/use-session.ts";
import type { Settings, Turn } from "./conversation.ts";

/** A conversation that is kept in this browser. */
export interface Chat {
  /** That of its first turn. */
  readonly id: number;
  readonly models: readonly string[];
  readonly settings: Settings;
  readonly turns: readonly Turn[];
}

interface Kept {
  /** The conversation that was shown last; null after “New chat”. */
  readonly open: number | null;
  /** The newest first. */
  readonly chats: readonly Chat[];
}

const most = 30;
const none: Kept = { open: null, chats: [] };

const keyOf = (userId: string): string => `playground-chats ${userId}`;

/** An error is kept as its message. */
const withoutErrors = (name: string, value: unknown): unknown =>
  name === "error" && value instanceof Error ? { message: value.message } : value;
const withErrors = (name: string, value: unknown): unknown =>
  name === "error" && value !== null ? new Error((value as { message: string }).message) : value;

function read(userId: string): Kept {
  try {
    return (JSON.parse(localStorage.getItem(keyOf(userId)) ?? "null", withErrors) as Kept | null) ?? none;
  } catch {
    // Of an earlier version of the console.
    return none;
  }
}

/** Keeps as many of the newest conversations as the browser has room for. */
function write(userId: string, { open, chats }: Kept): Kept {
  for (let count = Math.min(most, chats.length); count > 0; count--) {
    const kept = { open, chats: chats.slice(0, count) };
    try {
      localStorage.setItem(keyOf(userId), JSON.stringify(kept, withoutErrors));
      return kept;
    } catch {
      // Over the browser's quota: without the oldest it may fit.
    }
  }
  localStorage.removeItem(keyOf(userId));
  return none;
}

/** The user's conversations, which this browser alone keeps. */
export function useHistory() {
  const { id } = useUser();
  const [kept, setKept] = useState(() => read(id));
  const change = (next: Kept): void => setKept(write(id, next));
  return {
    chats: kept.chats,
    open: kept.chats.find((chat) => chat.id === kept.open),
    keep: (chat: Chat) => change({ open: chat.id, chats: [chat, ...kept.chats.filter((one) => one.id !== chat.id)] }),
    leave: () => change({ ...kept, open: null }),
    clear: () => change(none),
  };
}
