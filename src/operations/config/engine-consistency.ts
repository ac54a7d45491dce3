/** [engine]: what a provider needs before it can be asked anything. Says how to fix it. */
import type { Config } from "./schema.ts";

type EngineConfig = Config["engine"];
/** Path of the key at fault, and what to do about it. */
type Problem = readonly [path: string, says: string];

/** Hosts that answer nobody without a key. */
const NEEDS_KEY = /(^|\.)(openai\.com|groq\.com|mistral\.ai|together\.xyz|deepinfra\.com)$/;

const needsKey = (url: string): boolean => NEEDS_KEY.test(new URL(url).hostname);

export function engineProblems(engine: EngineConfig): Problem[] {
  if (engine.kind === "embedded") return [];
  const problems: Problem[] = [];
  if (engine.fallback === engine.kind) {
    const message = `[engine] fallback: "${engine.kind}" is what runs already. Allowed: "embedded", "standby", "none" or the other kind.`;
    problems.push(["engine.fallback", message]);
  }
  const used = new Set<string>([engine.kind, engine.fallback]);
  if (used.has("openai")) problems.push(...keysMissing(engine, "openai"));
  if (used.has("standby")) {
    if (engine.standby.base_url === null) {
      problems.push([
        "engine.standby.base_url",
        '[engine] fallback = "standby" needs [engine.standby] base_url, e.g. base_url = "http://10.0.0.7:8000/v1".',
      ]);
    } else problems.push(...keysMissing(engine, "standby"));
  }
  if (used.has("realtime")) problems.push(...realtimeProblems(engine));
  return problems;
}

/** A part's own address does not get the key of another server. */
function keysMissing(engine: EngineConfig, name: "openai" | "standby"): Problem[] {
  const provider = engine[name];
  const parts = ["stt", "llm", "tts"] as const;
  const problems = parts.flatMap((part): Problem[] => {
    const own = provider[`${part}_base_url`];
    const url = own ?? provider.base_url ?? "";
    const sharesKey = own === null || sameOrigin(own, provider.base_url);
    const key = provider[`${part}_api_key`] ?? (sharesKey ? provider.api_key : null);
    if (key !== null || url === "" || !needsKey(url)) return [];
    const keyName = own === null ? "api_key" : `${part}_api_key`;
    const host = new URL(url).hostname;
    const message = `[engine.${name}] ${keyName}: ${host} needs an API key. Set ${keyName} = { file = "/etc/linevoice/${name}.key" }, or base_url to a server of your own.`;
    return [[`engine.${name}.${keyName}`, message]];
  });
  // One missing key is one problem, however many parts want it.
  return problems.filter(([path], index) => problems.findIndex((one) => one[0] === path) === index);
}

function realtimeProblems({ realtime }: EngineConfig): Problem[] {
  if (realtime.api_key !== null || !needsKey(realtime.base_url)) return [];
  const host = new URL(realtime.base_url).hostname;
  const message = `[engine.realtime] api_key: ${host} needs an API key. Set api_key = { file = "/etc/linevoice/realtime.key" }.`;
  return [["engine.realtime.api_key", message]];
}

export function sameOrigin(url: string, other: string | null): boolean {
  return other !== null && new URL(url).origin === new URL(other).origin;
}
