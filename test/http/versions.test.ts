/** Two clients change one record: a client that sends its known version never overwrites unseen changes. */
import { expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { versionedPaths } from "../../src/http/versions.ts";
import { makeFixtures, ownPath, validBody } from "../support/http/api-fixtures.ts";
import { ask, pick, pickId } from "../support/http/api-server.ts";
import { newAgent, twoTenants } from "../support/http/two-tenants.ts";

const room = twoTenants();
const { get, post } = room;

test("a version marked by a compressing proxy is still that version", async () => {
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

test("a request with the current version gets 304 (RFC 9110, 13.1.2)", async () => {
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

test("a change with an old version is refused and writes nothing", async () => {
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

test("each change returns its new version, for the next change or the deletion", async () => {
  const fixtures = await makeFixtures(room.server, room.own, "mine", "+37051111111");
  const contracts = allContracts();
  const paths = versionedPaths(contracts);
  const at = (method: string) =>
    contracts.filter((contract) => contract.method === method && paths.has(contract.path));
  expect(at("PATCH").map(({ path }) => path)).toContain("/files/{id}");
  for (const contract of at("PATCH")) {
    const path = ownPath(contract, fixtures);
    const patch = (seen: string) => {
      const body = validBody(contract, fixtures);
      return ask(room.server, room.own, "PATCH", path, body, { "if-match": seen });
    };
    const version = (await patch("*")).headers.get("etag") ?? "";
    expect([path, version]).toEqual([path, (await get(path)).headers.get("etag") ?? "none"]);
    expect([path, (await patch(version)).status]).toEqual([path, 200]);
  }
  // The draft first: it is deleted with its agent.
  for (const contract of at("DELETE").sort((one, two) => two.path.length - one.path.length)) {
    const path = ownPath(contract, fixtures);
    const remove = (seen: string) =>
      ask(room.server, room.own, "DELETE", path, undefined, { "if-match": seen });
    const version = (await get(path)).headers.get("etag") ?? "";
    const late = await remove('"old"');
    expect([path, late.status, pick(late, "field")]).toEqual([path, 409, "if_match"]);
    expect([path, (await get(path)).status]).toEqual([path, 200]);
    expect([path, (await remove(version)).status]).toEqual([path, 200]);
  }
});

test("a file's change returns its version although it does not show the content", async () => {
  const made = await post("/files", { filename: "prices.md", content: "40 EUR" });
  const path = `/files/${pickId(made, "file.id")}`;
  const changes = ["50 EUR", "60 EUR", "70 EUR"].map((content) =>
    ask(room.server, room.own, "PATCH", path, { content }),
  );
  const versions = (await Promise.all(changes)).map(({ headers }) => headers.get("etag"));
  expect(new Set(versions).size).toBe(3);
  expect(versions).toContain((await get(path)).headers.get("etag"));
});
