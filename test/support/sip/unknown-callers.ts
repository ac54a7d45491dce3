/** Caller data for tests without contacts: nothing is known. */
import type { Callers } from "../../../src/features/contact/caller-identification.ts";

export const UNKNOWN_CALLERS: Omit<Callers, "pins"> = {
  contextOf: async () => ({
    level: 0,
    facts: [],
    data: [],
    namedGreeting: null,
    knowledge: null,
    variables: {},
    occasion: null,
    canOptOut: false,
  }),
  lookUp: async () => [],
  mayDial: async () => undefined,
  handleOptOut: async () => false,
  ended: async () => undefined,
  wake: () => undefined,
};
