/** Report of a call without any data. */

import {
  type CallReport,
  type EngineUsage,
  NOTHING_DISCARDED,
} from "../conversation/call-report.ts";
import type { MediaStatistics } from "../core/media-plan.ts";

export const NO_MEDIA: MediaStatistics = {
  codec: null,
  packetsSent: 0,
  packetsReceived: 0,
  packetsLost: 0,
  packetsDiscarded: 0,
  jitterMs: 0,
  mos: 1,
};

export const NO_USAGE: EngineUsage = {
  llmInputTokens: 0,
  llmCachedInputTokens: 0,
  llmOutputTokens: 0,
  ttsCharacters: 0,
  sttSeconds: 0,
  discarded: NOTHING_DISCARDED,
};

export const EMPTY_REPORT: CallReport = {
  turns: [],
  media: NO_MEDIA,
  usage: NO_USAGE,
  recording: null,
  answeredBy: "unknown",
  summary: "",
  line: "",
};
