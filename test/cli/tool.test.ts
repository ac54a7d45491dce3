/** `linevoice tool` as a process, on the data directory without a server. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../support/appliance/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

setDefaultTimeout(60_000);

const cwd = tempDir();
writeFileSync(join(cwd, "ok.toml"), '[storage]\ndata_dir = "data"\n');
const schema = {
  type: "object",
  properties: { day: { type: "string" } },
  required: ["day"],
  additionalProperties: false,
};
writeFileSync(join(cwd, "schema.json"), JSON.stringify(schema));
writeFileSync(join(cwd, "array.json"), "[]");

const linevoice = (args: string, stdin = "") => runCli(cwd, `${args} --config ok.toml`, { stdin });
const create =
  "tool create --tenant 1 --name find_booking --description Finds --header X-Tool-Secret --secret-stdin";

test("a tool is created, listed and deleted; its secret is stored encrypted and never printed", async () => {
  await linevoice("tenant create --name N --email a@example.com");
  const made = await linevoice(
    `${create} --url https://tools.example.com/find --schema schema.json`,
    "canary-secret\n",
  );
  expect(made.status).toBe(0);
  expect(JSON.parse(made.out)).toMatchObject({
    id: 1,
    name: "find_booking",
    agent_id: null,
    parameters: schema,
    enabled: true,
  });
  expect(made.out).not.toContain("canary");
  expect(await Bun.file(join(cwd, "data/linevoice.db")).text()).not.toContain("canary-secret");
  const list = await linevoice("tool list --tenant 1");
  expect(list.out).toContain("find_booking  every agent  on  https://tools.example.com/find");
  const twice = await linevoice(
    `${create} --url https://tools.example.com/find --schema schema.json`,
    "s3\n",
  );
  expect([twice.status, twice.err]).toEqual([1, expect.stringContaining("already")]);
  expect(JSON.parse((await linevoice("tool delete --tenant 1 1")).out)).toEqual({
    id: 1,
    deleted: true,
  });
  expect((await linevoice("tool list --tenant 1 --json")).out).toBe("[]\n");
});

test("URLs in the appliance's network are rejected when the tool is created", async () => {
  for (const url of ["https://127.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/"]) {
    const refused = await linevoice(`${create} --url ${url} --schema schema.json`, "s\n");
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("not allowed")]);
  }
  const plain = await linevoice(`${create} --url http://x.example --schema schema.json`, "s\n");
  expect([plain.status, plain.err]).toEqual([1, expect.stringContaining("https://")]);
});

test("a schema that language models reject is reported with its place and a remedy", async () => {
  const list = { type: "object", properties: { days: { type: "array" } } };
  writeFileSync(join(cwd, "list.json"), JSON.stringify(list));
  const refused = await linevoice(
    `${create} --url https://tools.example.com/x --schema list.json`,
    "s\n",
  );
  expect(refused.status).toBe(1);
  expect(refused.err).toContain('days is an array without "items"');
});

test("wrong usage returns status 2", async () => {
  for (const args of [
    "tool",
    "tool create --tenant 1",
    "tool delete --tenant 1",
    `${create} --url https://x.example --schema array.json`,
  ])
    expect((await linevoice(args, "s\n")).status).toBe(2);
});
