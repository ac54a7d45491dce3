/**
 * The measured process: the real HTTP server over a file with a tenant of very many calls, 33,000 a
 * day. Prints one JSON line when it listens; ends when its standard input closes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "../../test/support/api-server.ts";
import { insertManyCalls } from "../../test/support/many-calls.ts";

const calls = Number(process.argv[2] ?? 1_000_000);
const SPACING_MS = 2_600;
const directory = mkdtempSync(
  join(process.env.LINEVOICE_BENCH_DIR ?? tmpdir(), "linevoice-million-"),
);
const server = await startApiServer({ directory, settings: { requestsPerMinute: 2_000_000 } });
const tenant = await server.tenant({ plan: "prepaid" });
const startedAt = performance.now();
await insertManyCalls(server.database, tenant.id, {
  ...{ calls, untilMs: Date.now() - 120_000, spacingMs: SPACING_MS },
});
const buildSeconds = (performance.now() - startedAt) / 1000;
console.log(JSON.stringify({ base: server.base, key: tenant.key, buildSeconds, directory }));

await new Response(Bun.stdin.stream()).text();
await server.stop();
rmSync(directory, { recursive: true, force: true });
