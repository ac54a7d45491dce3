/** A sample of a voice, to help choose one for an agent. It is no call: nothing is stored, charged or listed. */
import { z } from "zod";
import { contract, rawRoute } from "../../http/contract.ts";
import { choice } from "../../http/contracts/schema.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";
import { tooManyRequests } from "../../http/problem.ts";
import { memoryRateLimiter } from "../../http/rate-limit.ts";
import { AGENT_LANGUAGES, AGENT_VOICES } from "./agent.ts";

const PER_MINUTE = 20;
const KEPT_SECONDS = 600;

export const getVoiceSample = contract({
  operationId: "getVoiceSample",
  at: "GET /voice-sample",
  tag: "Agents",
  role: "member",
  summary: "Play a short sentence in a voice",
  description: `Spoken by the configured engine, then cached. At most ${PER_MINUTE} per minute.`,
  query: z.strictObject({
    language: choice(AGENT_LANGUAGES, "Language of the sentence.", "en"),
    voice: choice(AGENT_VOICES, "The voice.", "Sari"),
  }),
  reply: z.string().meta({ format: "binary" }),
  replyType: "audio/wav",
  errors: ["rate_limited", "unavailable"],
});

export const voiceSampleRoutes = ({ parts: { voiceSamples }, dependencies }: ProductContext) => {
  const limiter = memoryRateLimiter(() => PER_MINUTE, dependencies.clock);
  return [
    rawRoute(getVoiceSample)(async ({ tenantId, query }) => {
      const { allowed, limit, resetSeconds } = limiter.take(tenantId);
      if (!allowed) throw tooManyRequests(limit, resetSeconds);
      const wav = await voiceSamples.of(query.language, query.voice);
      return new Response(new Uint8Array(wav), {
        headers: {
          "content-type": "audio/wav",
          "cache-control": `private, max-age=${KEPT_SECONDS}`,
        },
      });
    }),
  ];
};
