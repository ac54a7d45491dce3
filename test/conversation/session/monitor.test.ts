/** A supervisor receives a call's audio only between the start and the end of monitoring. */
import { expect, test } from "bun:test";
import { scriptedCall } from "../../support/media/scripted-call.ts";

test("audio of both sides leaves the worker only while a supervisor monitors the call", async () => {
  const call = await scriptedCall();
  expect(call.audio.monitoring).toBeNull();
  call.session.monitor(true);
  const pcm = Int16Array.of(1, -1);
  call.audio.monitoring?.(pcm);
  expect(call.messages.filter(({ type }) => type === "monitor_audio")).toEqual([
    { type: "monitor_audio", pcm },
  ]);
  call.session.monitor(false);
  expect(call.audio.monitoring).toBeNull();
});
