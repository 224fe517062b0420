import { silence } from "@uag/harness/testing/wav";

/** A WAV file of silence, 16 kHz, 16 bits, one channel. */
export const wavOf = (seconds: number): Buffer => silence(seconds, 16_000);
