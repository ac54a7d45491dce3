/** A server with two tenants alike, and requests as they are sent by hand, for one test file. It ends with the file. */
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
    /** The header that `tenant` opens with. */
    withKey: { authorization: `Bearer ${tenant.key}` },
  };
}
