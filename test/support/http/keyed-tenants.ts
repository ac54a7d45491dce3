/**
 * A server with two similar tenants for one test file, and raw requests. It stops with the file.
 */
import { afterAll } from "bun:test";
import { tempDir } from "../temp-dir.ts";
import { startApiServer } from "./api-server.ts";

export async function keyedTenants() {
  const server = await startApiServer({ directory: tempDir() });
  afterAll(() => server.stop());
  const tenant = await server.tenant();
  return {
    server,
    tenant,
    other: await server.tenant(),
    raw: (path: string, init: RequestInit = {}) => fetch(server.base + path, init),
    /** The authorization header of `tenant`. */
    withKey: { authorization: `Bearer ${tenant.key}` },
  };
}
