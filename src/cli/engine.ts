/**
 * `linevoice engine try`: sends one request to each part of the engine; shows time, cost and
 * errors.
 */
import type { EnginePartTrial } from "../features/appliance/contract.ts";
import { asks, commandOf } from "./actions.ts";
import { fileArgument } from "./file-argument.ts";

const NAMES: Readonly<Record<EnginePartTrial["part"], string>> = {
  stt: "speech to text",
  llm: "language model",
  tts: "text to speech",
};

export const engineCommand = commandOf(
  "engine",
  {
    try: asks("engine.try", {
      usage: ["engine try [--stt F.wav] [--say TEXT] [--ask TEXT] [--json]"],
      fields: ["say", "ask"],
      others: { stt: { type: "string" } },
      input: ({ stt }, terminal) =>
        stt === undefined ? {} : { stt_wav: fileArgument(stt, terminal).toString("base64") },
      lines: ({ parts }) => parts.flatMap(inWords),
      status: ({ parts }) => (parts.every(({ error }) => error === null) ? 0 : 1),
    }),
  },
  [
    "--stt: a WAV file with 16-bit speech of at most about 20 seconds. Without options, all three are tried.",
    "Each provider charges for one request. The cost shown uses the prices in the configuration.",
    "Exit status 1 if one of them fails.",
  ],
);

function inWords(trial: EnginePartTrial): string[] {
  const { part, provider, first_ms: firstMs, total_ms: totalMs, error, remedy } = trial;
  const name = `${NAMES[part]} (${provider})`.padEnd(28);
  const advice = remedy === null ? [] : [`${" ".repeat(33)}→ ${remedy}`];
  if (error !== null) return [`NO  ${name} ${error}`, ...advice];
  const first = firstMs === null ? "" : `${firstMs} ms to the first, `;
  return [
    `ok  ${name} ${first}${totalMs} ms, ${trial.cost_eur.toFixed(6)} EUR: ${trial.result}`,
    ...advice,
  ];
}
