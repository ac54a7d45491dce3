/** Keys shared by providers on servers, and their problems. */
import { isHttpUrl, isWebSocketUrl } from "../platform/config/formats.ts";
import { eur } from "../platform/config/key.ts";
import type { KeyProblem } from "./provider.ts";

export const MODEL = { allowed: "the name of a model", charactersMax: 200 };
export const HTTP_URL = {
  allowed: 'an http:// or https:// URL, e.g. "http://127.0.0.1:8000/v1"',
  matches: isHttpUrl,
};
export const SOCKET_URL = {
  allowed: 'a ws:// or wss:// URL, e.g. "wss://api.openai.com/v1/realtime"',
  matches: isWebSocketUrl,
};
export const PROMPT = { allowed: "a sentence or two", charactersMax: 500 };
export const API_KEY = { allowed: "an API key" };

export const price = (what: string) =>
  eur(`Your cost of ${what} in EUR, for the cost of goods.`, 100_000);

/** Hosts that require a key. */
const NEEDS_KEY = /(^|\.)(openai\.com|groq\.com|mistral\.ai|together\.xyz|deepinfra\.com)$/;

export const needsKey = (url: string): boolean => NEEDS_KEY.test(new URL(url).hostname);

/** OpenAI itself, or its models at Azure. Some settings apply only to them. */
export const isOpenAi = (url: string): boolean =>
  /(^|\.)(openai\.com|openai\.azure\.com)$/.test(new URL(url).hostname);

/** `advice`: an alternative, e.g. `, or base_url to your own server`. */
export function keyMissing(
  { id, key, url }: { readonly id: string; readonly key: string; readonly url: string },
  advice = "",
): KeyProblem {
  const host = new URL(url).hostname;
  return {
    key,
    message: `[engine.${id}] ${key}: ${host} needs an API key. Set ${key} = { file = "/etc/linevoice/${id}.key" }${advice}.`,
  };
}
