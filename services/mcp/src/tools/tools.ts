import { chat } from "./chat.ts";
import { editImage } from "./edit-image.ts";
import { embed } from "./embed.ts";
import { closeEnvelope, getEnvelope, openEnvelope } from "./envelopes.ts";
import { generateImage } from "./generate-image.ts";
import { listModels } from "./list-models.ts";
import { getQuota, getUsage } from "./quota.ts";
import { listVoices, synthesizeSpeech } from "./speech.ts";
import type { Tool } from "./tool.ts";
import { cancelVideo, createVideo, getVideo, waitForVideo } from "./videos.ts";

/** Every tool, in the order in which clients show them. */
export const tools: readonly Tool[] = [
  listModels,
  chat,
  generateImage,
  editImage,
  createVideo,
  getVideo,
  waitForVideo,
  cancelVideo,
  embed,
  synthesizeSpeech,
  listVoices,
  getQuota,
  getUsage,
  openEnvelope,
  getEnvelope,
  closeEnvelope,
];
