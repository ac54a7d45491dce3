/**
 * Settings of an appliance for many concurrent calls, without limits that a load generator would
 * reach.
 */
import type { AppSettings } from "../../src/app/settings.ts";
import { RTP_PORTS } from "./target.ts";

export const roomFor =
  (calls: number) =>
  (settings: AppSettings): AppSettings => ({
    ...settings,
    http: { ...settings.http, requestsPerMinute: 2_000_000 },
    plans: settings.plans.map((plan) => ({
      ...plan,
      includedMinutes: 100_000,
      maxConcurrentCalls: calls * 2,
    })),
    concurrentCallsMax: calls * 2,
    sip: { ...settings.sip, newCallsPerSecond: 10_000 },
    callWorker: {
      ...settings.callWorker,
      rtpPorts: RTP_PORTS,
      conversation: {
        ...settings.callWorker.conversation,
        idlePromptMs: 5_000,
        silenceTimeoutMs: 600_000,
      },
    },
  });
