/** OpenAI's Realtime protocol: speech in, speech out, one session for all three parts. */
import type { CombinedProvider } from "../provider.ts";
import { keyMissing, needsKey } from "../server-keys.ts";
import { promptTokensMax, realtimeKeys, voiceProblems } from "./settings.ts";

export const realtime = {
  id: "realtime",
  description: "OpenAI's Realtime protocol: speech in, speech out, over one WebSocket per call.",
  settings: realtimeKeys,
  doctorKeys: {
    baseUrl: "base_url",
    apiKey: "api_key",
    model: "model",
    timeout: "response_timeout_ms",
  },
  problems({ api_key, base_url, voices }) {
    const unknown = voiceProblems("realtime", base_url, voices);
    if (api_key !== null || !needsKey(base_url)) return unknown;
    return [keyMissing({ id: "realtime", key: "api_key", url: base_url }), ...unknown];
  },
  prices: ({ input_eur_per_million_tokens, output_eur_per_million_tokens }) => ({
    llm_input_eur_per_million_tokens: input_eur_per_million_tokens,
    llm_output_eur_per_million_tokens: output_eur_per_million_tokens,
  }),
  promptTokensMax,
  models({ base_url, api_key, model, transcription_model }) {
    const { origin, pathname } = new URL(base_url.replace(/^ws/, "http"));
    const headers: Record<string, string> =
      api_key === null ? {} : { authorization: `Bearer ${api_key}` };
    const list = {
      headers,
      url: `${origin}${pathname.replace(/\/realtime\/?$/, "")}/models`,
    };
    const transcription = { model: transcription_model, key: "transcription_model", list };
    return [{ model, key: "model", list }, ...(transcription_model === "" ? [] : [transcription])];
  },
  open: async (settings, ports) =>
    (await import("./engine.ts")).createRealtimeEngine({ settings, ...ports }),
} as const satisfies CombinedProvider<typeof realtimeKeys>;
