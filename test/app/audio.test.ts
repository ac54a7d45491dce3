/** The audio side's state: it is not ready for calls before its workers are. */
import { expect, test } from "bun:test";
import { createAudio } from "../../src/app/audio.ts";
import { settingsFromConfig } from "../../src/app/settings-from-config.ts";
import { systemClock as clock } from "../../src/core/clock.ts";
import { silentLog as log } from "../../src/core/log.ts";
import { loadConfig } from "../../src/ops/config/load.ts";
import { tempDir } from "../support/temp-dir.ts";

const cwd = tempDir();
const { config } = loadConfig({ env: {}, cwd, systemPath: `${cwd}/none` });
const settings = settingsFromConfig(config, {
  version: "0",
  masterKey: new Uint8Array(32),
  dataDir: cwd,
});

test("before its start it is not ready, reports that, and stops at once", async () => {
  const audio = createAudio(settings, { clock, log });
  expect(audio.problem()).toBe("The media engine is starting.");
  expect(await audio.answers()).toBe(false);
  expect(audio.capacity()).toBe(0);
  await audio.stop();
});

test("after its start, it becomes ready by itself; a second start changes nothing", async () => {
  const audio = createAudio({ ...settings, callWorkers: 1 }, { clock, log });
  const ready = audio.ready();
  audio.start();
  audio.start();
  await ready;
  expect(audio.problem()).toBeNull();
  expect(await audio.answers()).toBe(true);
  const isHeard = audio.hearingWarning() === null;
  expect(audio.capabilities("en")).toEqual({ understandsSpeech: isHeard, followsPrompt: false });
  expect(audio.capabilities("lv")).toEqual({ understandsSpeech: false, followsPrompt: false });
  await audio.stop();
}, 60_000);
