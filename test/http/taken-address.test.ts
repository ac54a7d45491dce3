import { expect, test } from "bun:test";
import { startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

test("an address that another server listens on is refused, not shared", async () => {
  const first = await startApiServer({ directory: tempDir() });
  const { host, port } = first.server.address;
  const second = startApiServer({ directory: tempDir(), settings: { host, port } });
  await expect(second).rejects.toThrow(/another program listens there/);
  await first.stop();
});
