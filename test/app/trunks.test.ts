/** The warning of /readyz about trunks that cannot receive calls. */
import { expect, test } from "bun:test";
import { registrationWarning } from "../../src/app/trunks.ts";

const warningOf = (counts: Record<string, number>) =>
  registrationWarning({ registrations: () => counts });

test.each([
  [{}, null],
  [{ registered: 1 }, null],
  [{ registered: 1, failed: 3 }, null],
  [{ not_required: 1 }, null],
  [{ not_required: 1, failed: 1 }, null],
  [{ failed: 1 }, "(trunks: 1)"],
  [{ failed: 2, registering: 1 }, "(trunks: 3)"],
] as const)("registrations of %p give the warning %p", (counts, expected) => {
  const warning = warningOf(counts);
  if (expected === null) expect(warning).toBeNull();
  else expect(warning).toContain(expected);
});
