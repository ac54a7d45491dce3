/** Routes loaded after the server listens, or with the first request. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { LazyRoutes } from "../../src/http/lazy-routes.ts";
import { startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

test("paths below a mount are covered, the mount too, but not a longer name with the same beginning", () => {
  const routes = new LazyRoutes(["/api/v1", "/v1"], async () => undefined);
  for (const path of ["/v1", "/v1/", "/v1/agents", "/api/v1/agents/1"])
    expect([path, routes.covers(path)]).toEqual([path, true]);
  for (const path of ["/", "/v", "/v10", "/v1x/agents", "/api", "/api/v2/v1", "/docs/v1"])
    expect([path, routes.covers(path)]).toEqual([path, false]);
});

test("they are loaded once, however many requests wait; a failed load is repeated", async () => {
  let tries = 0;
  const routes = new LazyRoutes(["/v1"], async () => {
    if (++tries === 1) throw new Error("not today");
  });
  const failed = await Promise.allSettled([routes.load(), routes.load()]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect([tries, routes.isLoaded]).toEqual([1, false]);
  await Promise.all([routes.load(), routes.load()]);
  await routes.load();
  expect([tries, routes.isLoaded]).toEqual([2, true]);
});

test("the first requests after a start wait for their routes, however many come at once", async () => {
  const server = await startApiServer({ directory: tempDir() });
  const { base } = server;
  const { key } = await server.tenant();
  const headers = { authorization: `Bearer ${key}` };
  const asked = await Promise.all([
    fetch(`${base}/api/v1/ping`),
    fetch(`${base}/api/v1/agents`, { headers }),
    fetch(`${base}/v1/agents`, { headers, method: "HEAD" }),
    fetch(`${base}/v1/agents`),
    fetch(`${base}/v1/agents`, { headers, method: "PATCH" }),
    fetch(`${base}/v1/agents/999`, { headers }),
    fetch(`${base}/v1/nothing`, { headers }),
    fetch(`${base}/api/dashboard/session`),
    fetch(`${base}/api/dashboard/nothing`),
    fetch(`${base}/api/v1/openapi.json`),
    fetch(`${base}/v1`),
  ]);
  expect(asked.map(({ status }) => status)).toEqual([
    ...[200, 200, 200, 401, 405, 404, 404, 200, 401, 200, 401],
  ]);
  expect(asked[4]?.headers.get("allow")).toBe("GET, HEAD, OPTIONS, POST");
  await server.stop();
});
