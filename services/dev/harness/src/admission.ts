import type { UsageEvent } from "@uag/proto/metering/v1/usage.ts";
import type {
  Admission,
  AdmitRequest,
  AdmitTask,
  Admitted,
  FreeAdmission,
  Progress,
  Settlement,
  TaskAdmission,
  TaskGrant,
} from "@uag/usage/types";

/** The settlement of a request in {@link TestAdmission}. */
export interface Booked {
  readonly request: Omit<AdmitRequest, "stream">;
  readonly checkpoints: Progress[];
  settlement: Settlement | undefined;
  /** Its concurrency permit was freed before its bill. */
  left?: boolean;
}

/** Admits and records everything; tests replace the hooks. */
export class TestAdmission implements Admission, FreeAdmission, TaskAdmission {
  readonly booked: Booked[] = [];
  /** Called before a request is admitted; an error refuses the request. */
  onAdmit: (request: Omit<AdmitRequest, "stream">) => void = () => {};
  /** Called when the journal has the start of a request on disk. */
  started: () => Promise<void> = async () => {};
  /** Called when the journal has a request's bill on disk. */
  settling: () => Promise<void> = async () => {};

  /** @throws what `onAdmit` throws */
  async admit(request: AdmitRequest): Promise<Admitted> {
    this.onAdmit(request);
    const booked: Booked = { request, checkpoints: [], settlement: undefined };
    this.booked.push(booked);
    const started = this.started();
    return {
      flushStarted: () => started,
      clientLeft: () => {
        booked.left = true;
      },
      headers: ["x-ratelimit-limit-requests", "60"],
      checkpoint: (progress) => void booked.checkpoints.push(progress),
      settle: async (settlement) => {
        if (booked.settlement !== undefined) throw new Error("settled twice");
        booked.settlement = settlement;
        await this.settling();
      },
    };
  }

  /** @throws what `onAdmit` throws */
  async admitTask(request: AdmitTask): Promise<TaskGrant> {
    this.onAdmit(request);
    this.booked.push({ request, checkpoints: [], settlement: undefined });
    return { id: `grant_${request.requestId}` };
  }

  /** The grant of a task, whether or not it was admitted. */
  async findTaskGrant({ requestId }: AdmitTask): Promise<string> {
    return `grant_${requestId}`;
  }

  /** Records a task's bill. */
  async settleTask(event: UsageEvent): Promise<void> {
    const booked = this.booked.find(({ request }) => request.requestId === event.requestId);
    if (booked !== undefined) booked.settlement = event;
  }

  /** Admits a free request. */
  async admitFree(): ReturnType<FreeAdmission["admitFree"]> {
    return { headers: [], [Symbol.dispose]: () => {} };
  }

  /** The bill of a request that was admitted. */
  billOf(requestId: string): Settlement | undefined {
    return this.booked.find(({ request }) => request.requestId === requestId)?.settlement;
  }

  /** Clears the records, and admits everything again. */
  reset(): void {
    this.booked.length = 0;
    this.onAdmit = () => {};
    this.started = async () => {};
    this.settling = async () => {};
  }
}
