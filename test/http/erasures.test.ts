/** An owner erases a person from the dashboard, and only that person of only that company. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { listAudit } from "../../src/features/identity/team-routes.ts";
import type { KeyScope } from "../../src/features/key/key-limits.ts";
import { countErasure, erasePerson } from "../../src/features/privacy/routes.ts";
import { calls, sessions } from "../../src/store/schema/index.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { pick } from "../support/http/api-server.ts";
import { replyOf } from "../support/http/reply.ts";
import { storeCalls } from "../support/store/call-history.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.79");
const { as } = room;
const PERSON = "+37061000777";
const OTHER = "+37061000778";
const ERASURES = "/api/v1/erasures";
const COUNT = `${ERASURES}?number=${encodeURIComponent(PERSON)}`;

test("the data is shown first, then deleted; other people's data stays", async () => {
  for (const [number, name] of [
    [PERSON, "Forgotten"],
    [OTHER, "Remembered"],
  ] as const)
    await as("owner").fetch("POST", "/api/v1/contacts", { number_e164: number, first_name: name });
  await room.stranger.fetch("POST", "/api/v1/contacts", {
    number_e164: PERSON,
    first_name: "Theirs",
  });
  const past = {
    direction: "inbound",
    status: "completed",
    summary: "About a bridge.",
    agoMs: 60_000,
  } as const;
  await storeCalls(room.world, Date.now(), [
    { ...past, number: PERSON, said: ["It hurts."] },
    { ...past, number: OTHER, said: ["A cleaning."] },
  ]);
  const there = {
    contacts: 1,
    calls: 1,
    recordings: 0,
    schedules_cancelled: 0,
  };
  expect(replyOf(countErasure, await as("owner").fetch("GET", COUNT)).erasure).toEqual(there);
  const erased = await as("owner").fetch("POST", ERASURES, { number: PERSON });
  expect(replyOf(erasePerson, erased).erasure).toEqual(there);
  expect(replyOf(countErasure, await as("owner").fetch("GET", COUNT)).erasure).toEqual({
    ...there,
    contacts: 0,
    calls: 0,
  });
  const { text } = await as("owner").fetch("GET", "/api/v1/contacts");
  expect(text).toContain("Remembered");
  expect(text).not.toContain("Forgotten");
  const rows = await room.world.app.database.read.select().from(calls);
  expect(rows.map(({ fromNumber, summary }) => [fromNumber === OTHER, summary]).sort()).toEqual([
    [false, null],
    [true, "About a bridge."],
  ]);
  expect((await room.stranger.fetch("GET", "/api/v1/contacts")).text).toContain("Theirs");
  const audit = await as("owner").ask("GET", "/audit?limit=50");
  const done = replyOf(listAudit, audit).entries.filter(({ action }) => action === "erasePerson");
  expect(done).toHaveLength(1);
  expect(audit.text).not.toContain(PERSON.slice(1));
});

test("a caller behind a telephone system is erased by the number in the calls", async () => {
  for (const number of ["1001", "1002"])
    await storeCalls(room.world, Date.now(), [
      { direction: "inbound", status: "completed", summary: number, agoMs: 1, number, said: [] },
    ]);
  const counted = await as("owner").fetch("GET", `${ERASURES}?number=1001`);
  expect(replyOf(countErasure, counted).erasure.calls).toBe(1);
  const erased = await as("owner").fetch("POST", ERASURES, { number: "1001" });
  expect(replyOf(erasePerson, erased).erasure.calls).toBe(1);
  const { app, tenantId: tenant } = room.world;
  const rest = { tenant, number: "1002", dry_run: false };
  expect((await app.ask("person.erase", { ...rest, dry_run: true })).calls).toBe(1);
  expect((await app.ask("person.erase", rest)).calls).toBe(1);
  const audit = await as("owner").ask("GET", "/audit?limit=2");
  const [entry, before] = replyOf(listAudit, audit).entries;
  expect(entry).toMatchObject({ action: "erasePerson", command_line: true, outcome: "done" });
  expect(entry?.command_line_user).not.toBeNull();
  expect(before).toMatchObject({ action: "erasePerson", command_line: false });
});

test("it needs an owner with a recent sign-in, and a person's number", async () => {
  for (const role of ["viewer", "member"] as const) {
    expect((await as(role).fetch("GET", COUNT)).status).toBe(403);
    expect((await as(role).fetch("POST", ERASURES, { number: OTHER })).status).toBe(403);
  }
  for (const number of ["868000000", "+370", ""]) {
    const wrong = await as("owner").fetch("POST", ERASURES, { number });
    expect([wrong.status, pick(wrong, "field")]).toEqual([400, "number"]);
  }
  await room.world.app.database.tx((queries) =>
    queries.update(sessions).set({ createdAt: Date.now() - 16 * 60_000 }),
  );
  const late = await as("owner").fetch("POST", ERASURES, { number: OTHER });
  expect([late.status, pick(late, "field")]).toEqual([403, "sign_in"]);
  expect((await as("owner").fetch("GET", "/api/v1/contacts")).text).toContain("Remembered");
});

test("a key with manage rights erases a person who is not a contact, in its own company only, repeatedly", async () => {
  const { app, tenantId } = room.world;
  const number = "+37061000779";
  await storeCalls(room.world, Date.now(), [
    {
      direction: "outbound",
      status: "completed",
      summary: "",
      agoMs: 60_000,
      number,
      said: ["No."],
    },
  ]);
  const send = async (scope: KeyScope, tenant: number, body: object) => {
    const { secret } = await app.ask("key.create", { tenant, label: scope, scopes: [scope] });
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const asked = { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(app.addresses.http + ERASURES, asked);
    const { erasure } = (await answer.json()) as { erasure?: { calls: number } };
    return [answer.status, erasure?.calls];
  };
  const body = { number };
  expect(await send("calls", tenantId, body)).toEqual([403, undefined]);
  expect(await send("manage", room.strangerTenant, body)).toEqual([200, 0]);
  expect(await send("manage", tenantId, { ...body, dry_run: true })).toEqual([400, undefined]);
  expect(await send("manage", tenantId, body)).toEqual([200, 1]);
  expect(await send("manage", tenantId, body)).toEqual([200, 0]);
  const audit = await as("owner").ask("GET", "/audit?limit=50");
  const byKeys = replyOf(listAudit, audit).entries.filter(({ key_label }) => key_label !== null);
  expect(
    byKeys.map((entry) => [
      entry.key_label,
      entry.action,
      entry.outcome,
      entry.ip,
      entry.user_email,
    ]),
  ).toEqual([
    ["manage", "erasePerson", "done", "127.0.0.1", null],
    ["manage", "erasePerson", "done", "127.0.0.1", null],
    ["manage", "erasePerson", "refused", "127.0.0.1", null],
    ["calls", "erasePerson", "refused", "127.0.0.1", null],
  ]);
  expect(audit.text).not.toContain(number.slice(1));
});
