/** Plans for tests: ten minutes included and then 12 cents per minute, or nothing included. */

import type { DialingLimits } from "../../src/call/admission/admission.ts";
import { microEur } from "../../src/core/money.ts";
import type { Plan } from "../../src/features/billing/ports.ts";

/** The configuration's defaults. */
export const quotas = {
  contacts: 100_000,
  tools: 100,
  campaigns: 500,
  schedules: 10_000,
  knowledgeBytes: 50_000_000,
};
const limits = {
  quotas,
  maxConcurrentCalls: 5,
  maxAgents: 5,
  maxNumbers: 5,
  maxFiles: 5,
  maxWebhooks: 5,
};

export const startPlan: Plan = {
  slug: "start",
  name: "Start",
  includedMinutes: 10,
  pricePerMonth: microEur(19_000_000),
  overagePerMinute: microEur(120_000),
  ...limits,
};

export const prepaidPlan: Plan = {
  slug: "prepaid",
  name: "Prepaid",
  includedMinutes: 0,
  pricePerMonth: microEur(0),
  overagePerMinute: microEur(100_001),
  ...limits,
};

/** Limits that no test reaches accidentally. */
export const wideDialing: DialingLimits = {
  dailySpendMax: microEur(1_000_000_000_000),
  burst: { newNumbersPerHour: 100_000, newCountriesPerDay: 250 },
};
