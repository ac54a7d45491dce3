/** Searching a large book: it is read in pieces, and the answer is as if it were read at once. */
import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { ask, pick, startApiServer } from "../../support/http/api-server.ts";
import { tempDir } from "../../support/temp-dir.ts";

test("finds in number and names, in the list's order, across the pieces, of one tenant", async () => {
  const server = await startApiServer({ directory: tempDir() });
  const [own, other] = [await server.tenant(), await server.tenant()];
  for (const { id } of [own, other])
    await server.database.tx((queries) =>
      queries.run(sql`INSERT INTO contacts
        (tenant_id, number_e164, first_name, last_name, created_at, updated_at)
        WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 9000)
        SELECT ${id}, '+3706' || (1000000 + n), CASE n % 3 WHEN 0 THEN 'Jonas' ELSE 'Ona' END,
          printf('P%05d', 9001 - n), 0, 0 FROM many`),
    );
  const found = async (query: string) => {
    const answer = await ask(server, own, "GET", `/contacts?${query}`);
    const rows = pick(answer, "contacts") as readonly { last_name: string; first_name: string }[];
    return { total: pick(answer, "total"), rows, names: rows.map(({ last_name }) => last_name) };
  };
  const first = await found("search=jonas&limit=2");
  expect([first.total, first.names]).toEqual([3000, ["P00001", "P00004"]]);
  // The 1,333rd match is the last one of the first 4,000 contacts.
  const border = await found("search=JONAS&limit=3&offset=1332");
  expect(border.names).toEqual(["P03997", "P04000", "P04003"]);
  expect((await found("search=jonas&limit=200&offset=2999")).names).toEqual(["P08998"]);
  expect((await found("search=jonas&limit=200&offset=3000")).names).toEqual([]);
  expect((await found("search=61000001&limit=200")).rows).toMatchObject([{ last_name: "P09000" }]);
  expect((await found("search=p0400&limit=200")).total).toBe(10);
  expect((await found("search=%25")).total).toBe(0);
  expect((await found("limit=1")).total).toBe(9000);
  await server.stop();
});
