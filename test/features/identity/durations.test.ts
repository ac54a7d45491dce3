/** Session lengths and recent sign-in, as the specification states them. */
import { expect, test } from "bun:test";
import {
  FORMER_TOKEN_MS,
  RECENT_SIGN_IN_MS,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
} from "../../../src/features/identity/sessions.ts";

const HOUR_MS = 3_600_000;

test("12 idle hours, 14 days in all, 15 minutes for sensitive actions, 30 s for a former token", () => {
  expect(SESSION_IDLE_MS).toBe(12 * HOUR_MS);
  expect(SESSION_ABSOLUTE_MS).toBe(14 * 24 * HOUR_MS);
  expect(RECENT_SIGN_IN_MS).toBe(HOUR_MS / 4);
  expect(FORMER_TOKEN_MS).toBe(30_000);
});
