/** What is kept ready for later in a call is made once its first words are, and others' calls have begun. */
import { expect, test } from "bun:test";
import { AGENT, scriptedCall } from "../../../support/media/scripted-call.ts";

const { firstMessage } = AGENT;

test("the first words alone are synthesised at once, all else a second later", async () => {
  const { session, clock, spoken } = await scriptedCall();
  await session.prepare();
  await clock.advance(999);
  expect(spoken).toEqual([firstMessage]);
  await clock.advance(1);
  await session.close("agent_hangup");
  expect(spoken.length).toBeGreaterThan(1);
});

test("a call that has ended by then leaves its voice alone", async () => {
  const { session, clock, spoken } = await scriptedCall();
  await session.prepare();
  await session.close("agent_hangup");
  await clock.advance(5_000);
  expect(spoken).toEqual([firstMessage]);
});
