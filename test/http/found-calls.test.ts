/** The dashboard's list of calls shows the same as a call's page. */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { like } from "drizzle-orm";
import { callNotesStore } from "../../src/call/store/call-notes-store.ts";
import { getCallDetails } from "../../src/features/call-log/dashboard-routes.ts";
import { getHome } from "../../src/features/call-log/home-routes.ts";
import { findCalls } from "../../src/features/call-log/search-routes.ts";
import { calls, contacts, tenants } from "../../src/store/schema/index.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { replyOf } from "../support/http/reply.ts";
import { type PastCall, storeCalls } from "../support/store/call-history.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.78");

test("a call's duration is the same in the list and on its page, to the millisecond", async () => {
  const answeredAt = Date.parse("2026-11-20T10:00:04.900Z");
  await storeCalls(room.world, Date.now(), [
    {
      direction: "inbound",
      status: "completed",
      summary: null,
      said: [],
      number: "+37061000903",
      agoMs: 1_000,
    },
  ]);
  await room.world.app.database.tx(async (queries) => {
    await queries.update(calls).set({ answeredAt, endedAt: answeredAt + 7_200 });
  });
  const viewer = room.as("viewer");
  const [call] = replyOf(findCalls, await viewer.ask("GET", "/calls")).calls;
  const page = await viewer.ask("GET", `/calls/${call?.call_uuid}/details`);
  expect([call?.duration_ms, replyOf(getCallDetails, page).details.duration_ms]).toEqual([
    7_200, 7_200,
  ]);
});

describe("missed calls", () => {
  const past = (at: number, call: Partial<PastCall>): PastCall => ({
    direction: "inbound",
    status: "completed",
    summary: null,
    said: [],
    number: `+3706100080${at}`,
    agoMs: at * 60_000,
    ...call,
  });
  const ago = (days: number) => days * 86_400_000;

  beforeAll(async () => {
    await room.world.app.database.tx(async (queries) => {
      await queries.delete(contacts);
      await queries.delete(calls);
    });
    await storeCalls(room.world, Date.now(), [
      past(1, { status: "busy" }),
      past(2, { direction: "outbound", status: "no_answer" }),
      past(3, {}),
      past(4, { status: "failed" }),
      past(5, { status: "busy", agoMs: ago(20) }),
      past(6, { status: "failed", agoMs: ago(21) }),
    ]);
  });

  const found = async (query: string) => {
    const { calls, total } = replyOf(
      findCalls,
      await room.as("viewer").ask("GET", `/calls?${query}`),
    );
    return { numbers: calls.map(({ from_number }) => from_number?.at(-1)).join(""), total };
  };

  test("are unanswered inbound calls, newest first, whatever their end", async () => {
    expect(await found("status=missed")).toEqual({ numbers: "1456", total: 4 });
    expect(await found("status=missed&limit=2&offset=1")).toEqual({ numbers: "45", total: 4 });
    expect(await found("status=missed&direction=outbound")).toEqual({ numbers: "", total: 0 });
    expect((await found("status=missed&words=61000806")).numbers).toBe("6");
    expect((await found("status=missed&words=61000803")).numbers).toBe("");
  });

  test("with a message are marked", async () => {
    const { database } = room.world.app;
    const [left] = await database.read.select().from(calls).where(like(calls.fromNumber, "%3"));
    const note = {
      kind: "message",
      atMs: 0,
      text: "Please call.",
      callerName: null,
      callback: null,
    } as const;
    await database.tx((queries) => callNotesStore(queries).add(left?.id ?? 0, note));
    const found = replyOf(findCalls, await room.as("viewer").ask("GET", "/calls")).calls;
    const callers = found
      .filter(({ has_message }) => has_message)
      .map(({ from_number }) => from_number);
    expect(callers).toEqual([left?.fromNumber ?? null]);
  });

  test("are exported as they are listed", async () => {
    const { text } = await room.as("owner").ask("GET", "/calls.csv?status=missed");
    expect(
      text
        .match(/\+3706100080\d/g)
        ?.map((number) => number.at(-1))
        .join(""),
    ).toBe("1456");
  });

  test("of seven days are counted on Home as in the linked list", async () => {
    const { week } = replyOf(getHome, await room.as("viewer").ask("GET", "/home"));
    expect(week.missed).toBe(2);
    const { total } = await found(`status=missed&from=${week.days[0]?.date}`);
    expect(total).toBe(2);
  });
});

/** UTC time at which 20 November begins there; for half-hour zones the next UTC hour. */
test.each([
  ["Europe/Vilnius", "2026-11-19T22:00:00Z"],
  ["America/New_York", "2026-11-20T05:00:00Z"],
  ["Asia/Kolkata", "2026-11-19T19:00:00Z"],
  ["UTC", "2026-11-20T00:00:00Z"],
])("days follow the company's calendar: %s", async (timeZone, begin) => {
  const { database } = room.world.app;
  const beginMs = Date.parse(begin);
  await database.tx(async (queries) => {
    await queries.delete(contacts);
    await queries.delete(calls);
    await queries.update(tenants).set({ timeZone });
  });
  const at = (number: number, atMs: number): PastCall => ({
    direction: "inbound",
    status: "busy",
    summary: null,
    said: [],
    number: `+3706100070${number}`,
    agoMs: Date.now() - atMs,
  });
  const dayMs = 86_400_000;
  await storeCalls(room.world, Date.now(), [
    at(4, beginMs + dayMs + 60_000),
    at(3, beginMs + dayMs - 60_000),
    at(2, beginMs + 60_000),
    at(1, beginMs - 60_000),
  ]);
  const found = async (query: string) => {
    const answer = await room.as("viewer").ask("GET", `/calls?${query}`);
    const { calls, total } = replyOf(findCalls, answer);
    return [calls.map(({ from_number }) => from_number?.at(-1)).join(""), total];
  };
  expect(await found("from=2026-11-20&to=2026-11-20")).toEqual(["32", 2]);
  expect(await found("to=2026-11-19")).toEqual(["1", 1]);
  expect(await found("from=2026-11-21&status=missed")).toEqual(["4", 1]);
  const { text } = await room.as("owner").ask("GET", "/calls.csv?from=2026-11-20&to=2026-11-20");
  expect(text.match(/\+3706100070\d/g)?.map((number) => number.at(-1))).toEqual(["3", "2"]);
});
