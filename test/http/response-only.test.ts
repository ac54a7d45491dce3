/** Unsupported input of a client: query parameters, and fields that only answers carry (decisions 1). */
import { afterAll, describe, expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { AGENT_VOICES } from "../../src/features/agent/agent.ts";
import { makeFixtures, ownPath } from "../support/http/api-fixtures.ts";
import { ask, pick, pickId, pickText, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await startApiServer({ directory: tempDir() });
afterAll(() => server.stop());
const own = await server.tenant();
const other = await server.tenant({ trunk: false });
const fixtures = await makeFixtures(server, own, "mark", "+37052000001");
const contracts = allContracts(AGENT_VOICES);
const send = (method: string, path: string, body?: unknown, tenant = own) =>
  ask(server, tenant, method, path, body);
type Values = Record<string, unknown>;

describe("query parameters", () => {
  test.each(contracts.filter(({ method, open }) => method === "GET" && !open))(
    "an unknown one of GET $path is 400 and lists the known ones",
    async (contract) => {
      const answer = await send("GET", `${ownPath(contract, fixtures)}?colour=blue`);
      expect([answer.status, pick(answer, "error"), pick(answer, "field")]).toEqual([
        400,
        "unknown_field",
        "colour",
      ]);
      const known = Object.keys(contract.query?.shape ?? {}).join(", ") || "none";
      expect(pickText(answer, "message")).toBe(
        `Unknown query parameter \`colour\`. Known query parameters: ${known}.`,
      );
    },
  );

  test("an unknown one changes nothing with DELETE, POST or PATCH", async () => {
    const made = await send("POST", "/agents?colour=1", { name: "a", prompt: "b" });
    expect(pick(made, "error")).toBe("unknown_field");
    const agent = `/agents/${fixtures.ids.agent}`;
    expect((await send("DELETE", `${agent}?dry_run=1`)).status).toBe(400);
    expect((await send("PATCH", `${agent}?dry_run=1`, { name: "x" })).status).toBe(400);
    expect(pick(await send("GET", agent), "agent.name")).toBe("mark");
  });
});

const patched = contracts.filter(
  ({ method, path }) =>
    method === "PATCH" &&
    contracts.some((contract) => contract.method === "GET" && contract.path === path),
);
const copied = contracts.filter(
  ({ method, path }) =>
    method === "POST" &&
    contracts.some((contract) => contract.method === "GET" && contract.path === `${path}/{id}`),
);
const recordOf = (json: unknown) =>
  Object.values(json as Values).find((value) => typeof value === "object") as Values;

describe("response-only fields", () => {
  test("every kind of record that can be changed or copied is tested", () => {
    expect(patched.map(({ path }) => path)).toContain("/phone-numbers/{id}");
    expect(copied.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/agents", "/files", "/phone-numbers", "/contacts"]),
    );
  });

  test.each(patched)("a fetched record can be sent back with PATCH $path", async (contract) => {
    const path = ownPath(contract, fixtures);
    // A draft's answer lists files without the texts that its PATCH requires.
    const { files, tools, ...record } = recordOf((await send("GET", path)).json);
    const refused = await send("PATCH", path, { ...record, colour: 1 });
    expect([pick(refused, "error"), pick(refused, "field")]).toEqual(["unknown_field", "colour"]);
    expect((await send("PATCH", path, record)).json).toMatchObject({ ok: true });
  });

  const freed: Record<string, Values> = {
    "/phone-numbers": { number_e164: "+37052000077" },
    "/contacts": { number_e164: "+37060000077" },
    "/files": { filename: "copy.txt" },
    "/campaigns": { csv: "number\n+37060000009\n" },
  };
  test.each(copied)("a fetched record can be sent to POST $path as a copy", async (contract) => {
    const reader = contracts.find(
      ({ method, path }) => method === "GET" && path === `${contract.path}/{id}`,
    );
    if (!reader) throw new Error("no reader");
    const record = recordOf((await send("GET", ownPath(reader, fixtures))).json);
    const answer = await send("POST", contract.path, { ...record, ...freed[contract.path] });
    expect(answer.json).toMatchObject({ ok: true });
    expect(recordOf(answer.json).id).not.toBe(record.id);
  });

  test("another number in a PATCH is 400, says where it can be changed, and changes nothing", async () => {
    const path = `/phone-numbers/${fixtures.ids["phone number"]}`;
    const answer = await send("PATCH", path, { number_e164: "+37052000002", label: "new" });
    expect(answer.status).toBe(400);
    expect([pick(answer, "error"), pick(answer, "field")]).toEqual([
      "unknown_field",
      "number_e164",
    ]);
    expect(pickText(answer, "message")).toContain("add a new record with POST /phone-numbers");
    expect(pick(await send("GET", path), "phone_number.label")).toBe("mark");
    const same = await send("PATCH", path, { number_e164: "+37052000001", label: "new" });
    expect(pick(same, "phone_number.label")).toBe("new");
  });

  test("in a POST, id and times are ignored, and another value says what changes it afterwards", async () => {
    const file = recordOf((await send("GET", `/files/${fixtures.ids.file}`)).json);
    const copy = { ...file, filename: "other.txt" };
    const refused = await send("POST", "/files", { ...copy, agent_ids: [] });
    expect(pick(refused, "field")).toBe("agent_ids");
    expect(pickText(refused, "message")).toContain("with PATCH /files/{id} afterwards");
    const times = { created_at: "2020-01-01T00:00:00Z", updated_at: "2020-01-01T00:00:00Z" };
    const made = { name: "a", prompt: "b", id: 999_999, ...times };
    expect((await send("POST", "/agents", made)).status).toBe(200);
    const engine = await send("POST", "/agents", { ...made, engine: "embedded" });
    expect(pickText(engine, "message")).toStartWith("`engine` is set by Linevoice.");
  });

  test("a time counts as the same instant with another offset", async () => {
    const path = `/agents/${fixtures.ids.agent}`;
    const created = pickText(await send("GET", path), "agent.created_at");
    const z = { created_at: created.replace("+00:00", ".000Z") };
    expect((await send("PATCH", path, z)).status).toBe(200);
    expect((await send("PATCH", path, { created_at: "2020-01-01T00:00:00Z" })).status).toBe(400);
  });

  test("another tenant's record has no stored values to compare with", async () => {
    const body = { name: "a", prompt: "b", id: Number(fixtures.ids.agent) };
    const guess = await send("POST", "/agents", { ...body, version: 1 }, other);
    expect(pick(guess, "error")).toBe("unknown_field");
    const nothing = await send("POST", "/agents", body, other);
    expect(pickId(nothing, "agent.id")).toBeGreaterThan(0);
  });
});
