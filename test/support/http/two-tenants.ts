/**
 * A server with two tenants for one test file, with short functions for requests. It stops with the
 * file.
 */
import { afterAll, beforeAll } from "bun:test";
import { tempDir } from "../temp-dir.ts";
import { type ApiServer, type ApiTenant, ask, startApiServer } from "./api-server.ts";

/** Format of times in the API. */
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/;
export const newAgent = { name: "Reception", prompt: "You answer the phone." };

/** `own` has a trunk and 20 EUR, and is the default sender of requests; `other` has neither. */
export function twoTenants() {
  const directory = tempDir();
  let running: { server: ApiServer; own: ApiTenant; other: ApiTenant } | null = null;
  const world = () => {
    if (!running) throw new Error("the server starts before the first test");
    return running;
  };

  beforeAll(async () => {
    const server = await startApiServer({ directory });
    const own = await server.tenant();
    const other = await server.tenant({ trunk: false, name: "Other UAB" });
    await server.credit(own.id, 20);
    running = { server, own, other };
  });
  afterAll(() => running?.server.stop());

  return {
    directory,
    get server() {
      return world().server;
    },
    get own() {
      return world().own;
    },
    get other() {
      return world().other;
    },
    get: (path: string, tenant = world().own) => ask(world().server, tenant, "GET", path),
    post: (path: string, body: unknown = {}, tenant = world().own, headers = {}) =>
      ask(world().server, tenant, "POST", path, body, headers),
    patch: (path: string, body: unknown, tenant = world().own) =>
      ask(world().server, tenant, "PATCH", path, body),
    remove: (path: string, tenant = world().own) => ask(world().server, tenant, "DELETE", path),
  };
}
