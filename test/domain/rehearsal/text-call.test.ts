/** The line of a rehearsal in writing: how long a caller on it waits. */
import { expect, test } from "bun:test";
import { systemClock } from "../../../src/core/clock.ts";
import { silentLog } from "../../../src/core/log.ts";
import { readScenario } from "../../../src/domain/rehearsal/read-scenario.ts";
import { TextCall } from "../../../src/domain/rehearsal/text-call.ts";
import { VirtualClock } from "../../../src/domain/rehearsal/virtual-clock.ts";
import { callConfig, SETTINGS } from "../../support/scripted-call.ts";

test("a wait ends at its limit, to the frame", async () => {
  const call = new TextCall({
    ...{ config: callConfig({ firstMessage: "" }), settings: SETTINGS, engineLabel: "none" },
    scenario: readScenario(
      "a.yaml",
      "name: A\nscript: [{say: Hello.}]\nmust: [{ended: caller_hangup}]\n",
    ),
    engine: {
      llm: { async *respond() {}, truncateSpoken: () => undefined },
      close: async () => undefined,
    },
    ...{ search: null, clock: new VirtualClock(0), wallClock: systemClock, log: silentLog },
  } as unknown as ConstructorParameters<typeof TextCall>[0]);
  const waitedMs = await call.run(async (line) => {
    const from = line.nowMs;
    await line.until(() => false, 400);
    return line.nowMs - from;
  });
  expect(waitedMs).toBe(400);
});
