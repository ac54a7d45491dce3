/**
 * Documented defaults in numbers, as the composition uses them. Changes of both the schema and the documented file
 * are still noticed here.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { settingsFromConfig } from "../../../src/app/settings-from-config.ts";
import { loadConfig } from "../../../src/ops/config/load.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("without a file: webhooks 8 s, tools 20 s, recordings and transcripts 30 days, a nightly backup of which 7 are kept", () => {
  const nowhere = join(tempDir(), "nowhere");
  const { config, dataDir } = loadConfig({ env: {}, cwd: nowhere, systemPath: nowhere });
  const rest = { version: "0.0.0-test", masterKey: new Uint8Array(32), dataDir };
  const settings = settingsFromConfig(config, rest);
  const { httpClient, storage } = settings;
  expect(httpClient).toMatchObject({ webhookTimeoutMs: 8_000, toolTimeoutMs: 20_000 });
  expect(httpClient.allowNetworks).toEqual([]);
  expect(storage).toMatchObject({
    recordingsRetentionDays: 30,
    transcriptsRetentionDays: 30,
    backupAt: "30 3 * * *",
    backupKeep: 7,
    shared: false,
  });
  // Specification, section 8: a tool call longer than 2.5 s, 120 requests per minute per API key.
  expect(settings.callWorker.conversation.fillerDelayMs).toBe(2_500);
  expect(settings.callWorker.conversation.toolCallsMax).toBe(50);
  expect(httpClient.toolResultBytesMax).toBe(16_384);
  expect(settings.http.requestsPerMinute).toBe(120);
});

test("the operator's tool limits reach the code that calls tools", () => {
  const nowhere = join(tempDir(), "nowhere");
  const env = {
    LINEVOICE_CONVERSATION__TOOL_CALLS_MAX: "7",
    LINEVOICE_CONVERSATION__TOOL_RESULT_BYTES_MAX: "256",
  };
  const { config, dataDir } = loadConfig({ env, cwd: nowhere, systemPath: nowhere });
  const rest = { version: "0.0.0-test", masterKey: new Uint8Array(32), dataDir };
  const { callWorker, httpClient } = settingsFromConfig(config, rest);
  expect(callWorker.conversation.toolCallsMax).toBe(7);
  expect(httpClient.toolResultBytesMax).toBe(256);
});
