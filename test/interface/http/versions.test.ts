/** Two clients change one record: who names the version they saw never overwrites what they have not seen. */
import { expect, test } from "bun:test";
import { ask, pick, pickId } from "../../support/http/api-server.ts";
import { newAgent, twoTenants } from "../../support/http/two-tenants.ts";

const room = twoTenants();
const { get, post } = room;

test("a version that a proxy marked when it compressed the answer is still that version", async () => {
  const path = `/agents/${pickId(await post("/agents", newAgent), "agent.id")}`;
  // nginx; Apache and Caddy; Caddy's other encoding.
  for (const mark of ["W/$", "$-gzip", "$-zstd"]) {
    const version = (await get(path)).headers.get("etag") ?? "";
    const marked = mark.replace("$", version).replace(/"(-\w+)$/, '$1"');
    const patch = (name: string) =>
      ask(room.server, room.own, "PATCH", path, { name }, { "if-match": marked });
    expect([mark, (await patch(mark)).status]).toEqual([mark, 200]);
    expect([mark, (await patch("again")).status]).toEqual([mark, 409]);
  }
});

test("who names the version that the record has is told that it is that one (RFC 9110, 13.1.2)", async () => {
  const path = `/agents/${pickId(await post("/agents", newAgent), "agent.id")}`;
  const version = (await get(path)).headers.get("etag") ?? "";
  const known = (seen: string, method = "GET", at = path) =>
    ask(room.server, room.own, method, at, undefined, { "if-none-match": seen });
  const marked = version.replace(/"$/, '-gzip"');
  for (const seen of [version, `W/${version}`, marked, `"old", ${version}`, "*"])
    for (const method of ["GET", "HEAD"]) {
      const same = await known(seen, method);
      expect([seen, method, same.status, same.text]).toEqual([seen, method, 304, ""]);
      expect(same.headers.get("etag")).toBe(version);
    }
  expect((await known('"old"')).status).toBe(200);
  expect((await known("*", "GET", "/agents/999999")).status).toBe(404);
  await ask(room.server, room.own, "PATCH", path, { name: "Another" });
  expect((await known(version)).status).toBe(200);
});

test("a change that names an old version is refused and writes nothing", async () => {
  const id = pickId(await post("/agents", newAgent), "agent.id");
  const path = `/agents/${id}`;
  const read = await get(path);
  const version = read.headers.get("etag") ?? "";
  expect(version).toMatch(/^"\w+"$/);
  expect((await get(path)).headers.get("etag")).toBe(version);

  const patch = (body: object, seen?: string) =>
    ask(room.server, room.own, "PATCH", path, body, seen ? { "if-match": seen } : {});
  expect((await patch({ name: "First" }, version)).status).toBe(200);
  const late = await patch({ name: "Second" }, version);
  expect(late.status).toBe(409);
  expect(late.json).toMatchObject({ error: "conflict", field: "if_match" });
  expect(pick(await get(path), "agent.name")).toBe("First");

  const now = (await get(path)).headers.get("etag") ?? "";
  expect(now).not.toBe(version);
  const both = await Promise.all([patch({ name: "A" }, now), patch({ name: "B" }, now)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await patch({ name: "Any" }, "*")).status).toBe(200);
  const last = (await get(path)).headers.get("etag") ?? "";
  expect((await patch({ name: "Of others" }, `${version}, ${now}`)).status).toBe(409);
  expect((await patch({ name: "One of two" }, `${version}, ${last}`)).status).toBe(200);
  expect((await patch({ name: "Without" })).status).toBe(200);
});
