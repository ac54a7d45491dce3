/** Tags and comments over HTTP: rights, lengths, other tenants, and the list and CSV by tag. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import * as annotations from "../../src/features/call-log/annotations-routes.ts";
import { findCalls } from "../../src/features/call-log/search-routes.ts";
import { dashboardWorld } from "../support/browser/dashboard-world.ts";
import { errorOf, replyOf } from "../support/http/reply.ts";
import { storeCalls } from "../support/store/call-history.ts";

setDefaultTimeout(60_000);

const room = dashboardWorld("127.0.8.77");
const call = { direction: "inbound", status: "completed", summary: null } as const;
type Person = "viewer" | "member" | "owner";
const ask = (role: Person, method: string, path: string, body?: unknown) =>
  room.as(role).ask(method, path, body);

let uuid = "";
let otherUuid = "";

async function found(role: Person, query: string) {
  const { calls, total } = replyOf(findCalls, await ask(role, "GET", `/calls?${query}`));
  return { uuids: calls.map(({ call_uuid }) => call_uuid), calls, total };
}

beforeAll(async () => {
  await storeCalls(room.world, Date.now(), [
    { ...call, number: "+37061000901", said: ["Where is my crown?"], agoMs: 1_000 },
    { ...call, number: "+37061000902", said: ["Where is my crown?"], agoMs: 2_000 },
  ]);
  const [first = "", second = ""] = (await found("viewer", "limit=2")).uuids;
  [uuid, otherUuid] = [first, second];
});

test("a tag has 1 to 40 characters, is on the call and in the list, and filters list and CSV", async () => {
  const tagged = (tag: string, on = uuid) => ask("member", "POST", `/calls/${on}/tags`, { tag });
  for (const tag of ["", " ", "x".repeat(41), "two\nlines"])
    expect([tag, errorOf(await tagged(tag))]).toEqual([tag, "valid_tag_required"]);
  expect((await tagged("x".repeat(40), otherUuid)).status).toBe(200);
  expect(replyOf(annotations.addCallTag, await tagged("Skundas")).tags).toEqual(["Skundas"]);
  expect((await ask("viewer", "POST", `/calls/${uuid}/tags`, { tag: "No" })).status).toBe(403);

  const { tags } = replyOf(annotations.listCallTags, await ask("viewer", "GET", "/call-tags"));
  expect(tags).toEqual([
    { tag: "Skundas", calls: 1 },
    { tag: "x".repeat(40), calls: 1 },
  ]);
  const byTag = await found("viewer", "tag=Skundas");
  expect([byTag.uuids, byTag.total, byTag.calls[0]?.tags]).toEqual([[uuid], 1, ["Skundas"]]);
  expect((await found("viewer", "tag=Skundas&words=crown")).uuids).toEqual([uuid]);
  expect((await found("viewer", "tag=Skundas&direction=outbound")).total).toBe(0);
  expect((await found("viewer", "tag=Nobody")).uuids).toEqual([]);
  const csv = (await ask("owner", "GET", "/calls.csv?tag=Skundas")).text.trim().split("\r\n");
  expect(csv).toHaveLength(2);
  expect([csv[0]?.split(",").at(-1), csv[1]?.split(",").at(-1)]).toEqual(["tags", "Skundas"]);
  expect(csv[1]).toStartWith(uuid);
});

test("a comment has 1 to 2,000 characters; its author deletes it, or an owner", async () => {
  const write = (role: Person, text: string) =>
    ask(role, "POST", `/calls/${uuid}/comments`, { text });
  for (const text of ["", "  ", "x".repeat(2_001)])
    expect(errorOf(await write("member", text))).toBe("valid_text_required");
  expect((await write("viewer", "No")).status).toBe(403);
  expect((await write("member", "x".repeat(2_000))).status).toBe(200);
  expect((await write("owner", "Call back on Monday.")).status).toBe(200);
  const path = `/calls/${uuid}/annotations`;
  const comments = async (role: Person) =>
    replyOf(annotations.getCallAnnotations, await ask(role, "GET", path)).comments;
  const [ofMember, ofOwner] = await comments("member");
  expect([ofMember?.may_delete, ofOwner?.may_delete]).toEqual([true, false]);
  expect(ofOwner?.text).toBe("Call back on Monday.");
  expect(ofOwner?.author).not.toBeNull();
  expect((await comments("owner")).map(({ may_delete }) => may_delete)).toEqual([true, true]);

  const remove = (role: Person, id = 0) => ask(role, "DELETE", `/call-comments/${id}`);
  expect((await remove("viewer", ofMember?.id)).status).toBe(403);
  expect(errorOf(await remove("member", ofOwner?.id))).toBe("forbidden");
  expect((await remove("member", ofMember?.id)).status).toBe(200);
  expect((await remove("owner", ofMember?.id)).status).toBe(404);
  expect((await remove("owner", ofOwner?.id)).status).toBe(200);
  expect(await comments("owner")).toEqual([]);
});

test("another tenant's owner gets the answer for an unknown call, and changes nothing", async () => {
  await ask("owner", "POST", `/calls/${uuid}/comments`, { text: "Ours" });
  const path = `/calls/${uuid}/annotations`;
  const before = replyOf(annotations.getCallAnnotations, await ask("owner", "GET", path));
  const { stranger } = room;
  const tried = [
    await stranger.ask("GET", path),
    await stranger.ask("POST", `/calls/${uuid}/tags`, { tag: "Theirs" }),
    await stranger.ask("POST", `/calls/${uuid}/tags/remove`, { tag: "Skundas" }),
    await stranger.ask("POST", `/calls/${uuid}/comments`, { text: "Theirs" }),
    await stranger.ask("DELETE", `/call-comments/${before.comments[0]?.id}`),
  ];
  expect(tried.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  const list = replyOf(annotations.listCallTags, await stranger.ask("GET", "/call-tags"));
  expect(list.tags).toEqual([]);
  const theirs = replyOf(findCalls, await stranger.ask("GET", "/calls?tag=Skundas"));
  expect([theirs.calls, theirs.total]).toEqual([[], 0]);
  const after = replyOf(annotations.getCallAnnotations, await ask("owner", "GET", path));
  expect(after).toEqual(before);
  expect(after.tags).toEqual(["Skundas"]);

  const removed = await ask("member", "POST", `/calls/${uuid}/tags/remove`, { tag: "Skundas" });
  expect(replyOf(annotations.removeCallTag, removed).tags).toEqual([]);
});
