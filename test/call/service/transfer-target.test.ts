/** A tenant's SIP URI follows the address rules of its trunk's server (decisions 12). */
import { expect, test } from "bun:test";
import { createCallService } from "../../../src/call/service/call-service.ts";
import { AddressRules } from "../../../src/platform/net/address-rules.ts";

const TRUNK_SERVER = "192.168.7.2";

/** "admitted", or the refused field. */
async function verdictOn(to: string): Promise<unknown> {
  const service = createCallService({
    context: {
      registry: { find: () => ({ isLive: true, identity: { tenantId: 1 } }) },
      database: { read: {} },
      stores: {
        setup: () => ({ tenant: async () => ({ id: 1 }), trunk: async () => ({ id: 7 }) }),
      },
      sip: { trunk: () => ({ settings: { server: TRUNK_SERVER } }) },
      admission: { transfer: () => Promise.reject(new Error("admitted")) },
    },
    targetAddresses: new AddressRules(["10.1.0.0/16"]),
  } as unknown as Parameters<typeof createCallService>[0]);
  return await service.transfer(1, "uuid", to).catch((error) => error.field ?? error.message);
}

test.each([
  ["+37060000000", "admitted"],
  ["sip:desk@pbx.example", "admitted"],
  ["sip:desk@8.8.8.8", "admitted"],
  ["sip:101@10.1.2.3:5080", "admitted"],
  [`sip:101@${TRUNK_SERVER}`, "admitted"],
  ["sip:desk@10.2.0.1", "to"],
  ["SIP:desk@192.168.7.3:5060", "to"],
  ["sip:desk@127.0.0.1", "to"],
  ["sip:desk@169.254.169.254", "to"],
  ["sip:desk@[::1]", "to"],
  ["sip:desk@[::ffff:10.2.0.1]:5060", "to"],
  ["sip:desk@127.1", "to"],
  ["sip:desk@localhost", "to"],
])("%s is %s", async (to, verdict) => {
  expect(await verdictOn(to)).toBe(verdict);
});
