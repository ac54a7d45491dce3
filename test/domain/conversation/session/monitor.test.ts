/** A supervisor hears a call from when monitoring begins until it ends, and not otherwise. */
import { expect, test } from "bun:test";
import { scriptedCall } from "../../../support/media/scripted-call.ts";

test("what both sides say leaves the worker only while a supervisor monitors the call", async () => {
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
