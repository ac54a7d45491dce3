/** Checks the operator's custom voices: loads each in a thread, as the server does at start. */
import { OwnVoices, type VoiceThread } from "../../engine/embedded/own-voices/own-voices.ts";
import { filesOf } from "../../engine/embedded/own-voices/voice-files.ts";
import { spawnVoices } from "../../workers.ts";
import { engineSettingsOf } from "../config/engine-settings.ts";
import { type Check, type ExaminedAppliance, failed, ok, skipped } from "./check.ts";

const REMEDY =
  "Put the voice's .onnx and .onnx.json files, unchanged and readable for the service, at the path in [engine.embedded.voices], or remove the line. Then restart the service.";

export const ownVoicesCheck: Check = {
  name: "own voices",
  run: (appliance) => examineOwnVoices(appliance),
};

export async function examineOwnVoices(
  { config, clock }: Pick<ExaminedAppliance, "config" | "clock">,
  spawn: () => VoiceThread = spawnVoices,
) {
  const { voices = {} } = engineSettingsOf(config);
  const files = filesOf(voices);
  if (files.length === 0) return skipped("The embedded voices are used.");
  const wrong: string[] = [];
  const ownVoices = new OwnVoices({
    spawn,
    clock,
    onFailed: (_, detail) => wrong.push(detail),
  });
  await ownVoices.load(voices);
  ownVoices.close();
  return wrong.length === 0
    ? ok(`${files.length === 1 ? "One voice file speaks" : `${files.length} voice files speak`}.`)
    : failed(`${wrong.join(". ")}. The embedded voice is used instead.`, REMEDY);
}
