/** A stored SIP password is used only for the server, proxy and realm for which it was entered. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/core/clock.ts";
import type { Database } from "../../src/core/database.ts";
import { AppError } from "../../src/core/errors.ts";
import { systemRandom } from "../../src/core/random.ts";
import { createTenant } from "../../src/features/tenant/create-tenant.ts";
import { tenantAdminStore } from "../../src/features/tenant/tenant-admin-store.ts";
import type { TrunkInput } from "../../src/features/trunk/trunk-schema.ts";
import { trunkStore } from "../../src/features/trunk/trunk-store.ts";
import { createTrunks } from "../../src/features/trunk/trunks.ts";
import { createVault } from "../../src/platform/secrets/vault.ts";
import { startPlan } from "../support/plans.ts";
import { openTestDatabase } from "../support/store/test-store.ts";
import { tempDir } from "../support/temp-dir.ts";

const vault = createVault(new Uint8Array(32).fill(7));
const clock = systemClock;
let database: Database;
let tenantId = 0;
let reloads = 0;

const wish: TrunkInput = {
  server: "sip.example.com",
  port: undefined,
  transport: "udp",
  username: "clinic",
  password: "canary",
  realm: null,
  outboundProxy: null,
  callerId: "+37052000001",
  register: true,
  channels: null,
  extraNetworks: undefined,
};

beforeAll(async () => {
  database = await openTestDatabase(join(tempDir(), "linevoice.db"), clock.now());
  tenantId = await createTenant(
    { database, records: tenantAdminStore, vault, clock, random: systemRandom },
    { name: "Clinic", email: "a@example.com", plan: startPlan.slug, timeZone: "Europe/Vilnius" },
  );
});
afterAll(() => database.close());

const desk = () =>
  createTrunks({
    database,
    vault,
    clock,
    allowNetworks: [],
    running: {
      registration: () => null,
      probe: async () => null,
      reload: async () => {
        reloads++;
      },
      remove: async () => undefined,
    },
  });
const set = (changes: Partial<TrunkInput>) =>
  desk()
    .set(tenantId, { ...wish, ...changes })
    .then(
      () => "kept",
      (error: unknown) => (error instanceof AppError ? error.code : error),
    );

test("the same target keeps it; another server, proxy or realm asks for it again", async () => {
  expect(await set({})).toBe("kept");
  const kept = { password: undefined, username: "other", callerId: "+37052000002" };
  expect(await set({ ...kept, server: "SIP.example.com" })).toBe("kept");
  expect(reloads).toBe(2);
  for (const elsewhere of [
    { server: "sip.attacker.example" },
    { outboundProxy: "proxy.attacker.example" },
    { realm: "attacker" },
  ])
    expect(await set({ ...kept, ...elsewhere })).toBe("valid_password_required");
  expect(reloads).toBe(2);
  expect((await desk().get(tenantId))?.trunk.server).toBe("SIP.example.com");
  expect(await set({ password: "new", server: "sip.second.example" })).toBe("kept");
});

test("a caller ID of another country, whose numbers could then be dialled, asks for it again", async () => {
  const ask = (changes: Partial<TrunkInput>, asOperator = false) =>
    desk()
      .set(tenantId, { ...wish, password: undefined, ...changes }, asOperator)
      .then(
        ({ trunk }) => trunk.callerId,
        (error: unknown) => (error instanceof AppError ? error.code : error),
      );
  await desk().set(tenantId, wish);
  expect(await ask({ callerId: "+37060000001" })).toBe("+37060000001");
  expect(await ask({ callerId: "+5352345678" })).toBe("valid_password_required");
  expect(await ask({ callerId: "+5352345678" }, true)).toBe("+5352345678");
  expect(await ask({ callerId: "+37060000001" })).toBe("valid_password_required");
  expect(await ask({ callerId: "+37060000001", password: "new" })).toBe("+37060000001");
  // A peering has no password that its owner could know.
  const peering = { password: null, register: false };
  await desk().set(tenantId, { ...wish, ...peering }, true);
  expect(await ask({ ...peering, callerId: "+37060000001" })).toBe("+37060000001");
  expect(await ask({ ...peering, callerId: "+5352345678" })).toBe("forbidden");
  expect(await ask({ password: "made up", callerId: "+5352345678" })).toBe("forbidden");
  expect(await ask({ ...peering, callerId: "+5352345678" }, true)).toBe("+5352345678");
  await desk().set(tenantId, wish, true);
});

test("only the operator may replace and remove a peering, so that no other caller ID bypasses its country", async () => {
  const peering = { ...wish, password: null, register: false };
  await desk().set(tenantId, peering, true);
  expect(await set({ ...peering, username: "other" })).toBe("kept");
  for (const other of [
    { register: true },
    { register: true, server: "sip2.example.com", callerId: "+5352345678" },
    { register: true, outboundProxy: "sip.example.com" },
  ])
    expect(await set(other)).toBe("forbidden");
  const removed = (asOperator: boolean) =>
    desk()
      .remove(tenantId, asOperator)
      .then(
        () => "removed",
        (error: unknown) => (error instanceof AppError ? error.code : error),
      );
  expect(await removed(false)).toBe("forbidden");
  expect((await desk().get(tenantId))?.trunk.register).toBeFalse();
  expect(await removed(true)).toBe("removed");
  expect(await set({})).toBe("kept");
  expect(await removed(false)).toBe("removed");
  await desk().set(tenantId, wish, true);
});

test("only the operator may set a private address; the owner may keep it, but not set another", async () => {
  const inside = { server: "192.168.7.5", password: "new" };
  expect(await set(inside)).toBe("valid_server_required");
  expect(await set({ ...inside, server: "sip.example.com", outboundProxy: "10.1.2.3" })).toBe(
    "valid_outbound_proxy_required",
  );
  const setByOperator = async () => (await trunkStore(database.read).find(tenantId))?.setByOperator;
  await desk().set(tenantId, { ...wish, ...inside }, true);
  expect(await setByOperator()).toBe(true);
  expect(await set({ ...inside, username: "other" })).toBe("kept");
  expect(await setByOperator()).toBe(true);
  expect(await set({ ...inside, server: "192.168.7.6" })).toBe("valid_server_required");
  expect(await set({ ...inside, server: "sip.example.com" })).toBe("kept");
  expect(await setByOperator()).toBe(false);
  expect(await set(inside)).toBe("valid_server_required");
});
