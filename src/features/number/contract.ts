/** Phone numbers, for the operator: `linevoice number` and the dashboard. */
import { z } from "zod";
import { e164 } from "../../core/e164.ts";
import { e164In } from "../../core/schema.ts";
import { id, operation } from "../../http/contracts/operation.ts";

const confirmed = { tenant: id, number: e164In("The number.") };

export const numberOperations = {
  "number.confirm": operation({
    input: z.strictObject(confirmed),
    output: z.strictObject(confirmed),
    role: "operator",
    run: async ({ tenants, confirmNumber }, { tenant, number }) => {
      await tenants.require(tenant);
      await confirmNumber(tenant, e164(number));
      return { tenant, number };
    },
  }),
} as const;
