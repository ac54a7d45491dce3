/** A walk over every route of the document: keys, tenants, limits, and answers of the documented format. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import type { Contract } from "../../src/http/contract.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import {
  type Fixtures,
  makeFixtures,
  namesRecord,
  ownPath,
  pathOf,
  validBody,
  validQuery,
} from "../support/http/api-fixtures.ts";
import {
  type ApiServer,
  type ApiTenant,
  ask,
  pick,
  startApiServer,
} from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const MARKER = "zyx-foreign-zyx";
let server: ApiServer;
let own: ApiTenant;
let mine: Fixtures;
let theirs: Fixtures;

beforeAll(async () => {
  server = await startApiServer({ directory: tempDir() });
  own = await server.tenant();
  await server.credit(own.id, 50);
  mine = await makeFixtures(server, own, "mine", "+37051111111");
  theirs = await makeFixtures(server, await server.tenant(), MARKER, "+37052222222");
});
afterAll(() => server.stop());

const contracts = allContracts();
const keyed = contracts.filter((contract) => !contract.open);
const named = (list: readonly Contract[]) =>
  list.map((contract) => [`${contract.method} ${contract.path}`, contract] as const);
const withQuery = (path: string, query: Record<string, string>) => {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
};

test.each(named(keyed))("%s is 401 without a key", async (_, contract) => {
  for (const path of [ownPath(contract, mine), pathOf(contract, "x")]) {
    const answer = await ask(server, null, contract.method, path, validBody(contract, mine));
    expect([answer.status, pick(answer, "error")]).toEqual([401, "unauthorized"]);
  }
});

test.each(named(keyed.filter(namesRecord)))(
  "%s is 404 for another tenant's record, as for an unknown one, and does not change it",
  async (_, contract) => {
    const ask404 = (path: string) =>
      ask(server, own, contract.method, path, validBody(contract, theirs), { "x-request-id": "r" });
    const foreign = await ask404(ownPath(contract, theirs));
    const none = contract.path.includes("{uuid}")
      ? "019aa1b2-9999-7000-8000-000000000000"
      : 999_999;
    const unknown = await ask404(pathOf(contract, none));
    expect([foreign.status, pick(foreign, "error")]).toEqual([404, "not_found"]);
    expect(foreign.text).toBe(unknown.text);
    expect(foreign.text).not.toContain(MARKER);
  },
);

test("a foreign key id cannot be revoked", async () => {
  const answer = await ask(server, own, "DELETE", `/keys?id=${theirs.keyId}`);
  expect(answer.status).toBe(404);
});

test.each(named(keyed.filter(({ method }) => method === "GET")))(
  "%s answers in its own format and shows nothing of others",
  async (_, contract) => {
    const path = withQuery(ownPath(contract, mine), validQuery(contract, mine));
    const answer = await ask(server, own, "GET", path);
    expect(answer.status).toBe(200);
    if (contract.replyType === undefined) contract.reply.parse(answer.json);
    expect(answer.text).not.toContain(MARKER);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("ratelimit-limit")).not.toBeNull();
  },
);

test.each(named(keyed.filter(({ method }) => method === "POST" || method === "PATCH")))(
  "%s answers in its own format",
  async (_, contract) => {
    const answer = await ask(
      server,
      own,
      contract.method,
      ownPath(contract, mine),
      validBody(contract, mine),
    );
    // There is no live call here, so operations on live calls are refused.
    if (["transferCall", "hangUpCall"].includes(contract.operationId)) {
      expect(answer.status).toBe(409);
      return;
    }
    // No CRM is set up: test/features/contact/crm-trial.test.ts has one.
    if (contract.operationId === "testCrm") {
      expect(pick(answer, "error")).toBe("valid_crm_url_required");
      return;
    }
    expect([answer.text, answer.status]).toEqual([answer.text, contract.status ?? 200]);
    contract.reply.parse(answer.json);
  },
);

/** A field in the document. */
interface FieldSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly anyOf?: readonly FieldSchema[];
}

interface Trial {
  readonly value: unknown;
  readonly fits: boolean;
  readonly about: string;
}

/** Text of a length that is valid in every other respect. */
function textFor(name: string, length: number): string {
  if (name.endsWith("url")) return `https://127.0.0.1:9/${"a".repeat(Math.max(0, length - 20))}`;
  if (name === "filename") return `${"a".repeat(Math.max(0, length - 4))}.txt`;
  if (name === "transcript_email") {
    // Labels of at most 63 characters (RFC 1035 2.3.4), the local part of at most 64 (RFC 5321).
    const domain = `${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(length - 191)}.example`;
    return length < 200 ? "a@b.example" : `${"a".repeat(length - domain.length - 1)}@${domain}`;
  }
  if (name === "to") return `sip:${"a".repeat(length - 133)}@${"b".repeat(128)}`;
  return "x".repeat(length);
}

function trialsOf(name: string, schema: FieldSchema): Trial[] {
  const plain = schema.anyOf?.find(({ type }) => type !== "null") ?? schema;
  const trials: Trial[] = [];
  const add = (value: unknown, fits: boolean, about: string) => trials.push({ value, fits, about });
  if (plain.enum) {
    for (const value of plain.enum) add(value, true, "listed");
    add("not-listed", false, "not listed");
  }
  if (plain.type === "integer" || plain.type === "number") {
    const step = plain.type === "integer" ? 1 : 0.01;
    const isId = name === "id" || name.endsWith("_id");
    if (plain.minimum !== undefined) {
      if (!isId) add(plain.minimum, true, "at the lower limit");
      add(plain.minimum - step, false, "below the lower limit");
    }
    if (plain.maximum !== undefined && plain.maximum < Number.MAX_SAFE_INTEGER) {
      add(plain.maximum, true, "at the upper limit");
      add(plain.maximum + step, false, "above the upper limit");
    }
    add("many", false, "not a number");
    if (plain.type === "integer") add(1.5, false, "not whole");
  }
  if (
    plain.type === "string" &&
    !plain.enum &&
    plain.format !== "date" &&
    plain.format !== "date-time"
  ) {
    if (plain.minLength !== undefined && plain.minLength === 1) {
      add("x", true, "at the shortest");
      add("", false, "below the shortest");
    }
    if (plain.maxLength !== undefined) {
      add(textFor(name, plain.maxLength), true, "at the longest");
      add(textFor(name, plain.maxLength + 1), false, "above the longest");
    }
  }
  if (["date", "date-time", "e164", "uri", "email"].includes(plain.format ?? ""))
    add("nonsense", false, "of another format");
  if (plain.type === "string") add(5, false, "not text");
  if (plain.type === "boolean") {
    const orText = schema.anyOf?.some(({ type }) => type === "string") ?? false;
    for (const value of orText ? [1] : ["true", 1]) add(value, false, "not a boolean");
  }
  if (plain.type === "array") {
    if (plain.minItems) add([], false, "below the fewest");
    add({}, false, "not a list");
    if (plain.maxItems) add(new Array(plain.maxItems + 1).fill(1), false, "above the most");
  }
  return trials;
}

interface Operation {
  readonly parameters?: readonly { name?: string; in?: string; schema: FieldSchema }[];
  readonly requestBody?: { content: { "application/json": { schema: { $ref: string } } } };
}

interface BodySchema {
  readonly properties?: Record<string, FieldSchema>;
  readonly oneOf?: readonly BodySchema[];
  readonly anyOf?: readonly BodySchema[];
}

const document = openApiDocument(contracts, "0") as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, BodySchema> };
};

const operationOf = (contract: Contract) =>
  document.paths[contract.path]?.[contract.method.toLowerCase()];

function bodyFieldsOf(contract: Contract): [string, FieldSchema][] {
  const reference = operationOf(contract)?.requestBody?.content["application/json"].schema.$ref;
  const schema = document.components.schemas[reference?.split("/").at(-1) ?? ""];
  const variants = schema?.oneOf ?? schema?.anyOf ?? (schema ? [schema] : []);
  return variants.flatMap((variant) => Object.entries(variant.properties ?? {}));
}

const bodyTrials = keyed.flatMap((contract) =>
  bodyFieldsOf(contract)
    .filter(([name]) => name !== "item" && name !== "plan")
    .flatMap(([name, schema]) =>
      trialsOf(name, schema).map(
        (trial) =>
          [`${contract.method} ${contract.path}`, name, trial.about, contract, trial] as const,
      ),
    ),
);

describe("body fields at, below and above their limits", () => {
  test("are many", () => expect(bodyTrials.length).toBeGreaterThan(90));

  test.each(bodyTrials)("%s: %s %s", async (_, name, _about, contract, { value, fits }) => {
    const base = validBody(contract, mine) ?? {};
    const answer = await ask(server, own, contract.method, ownPath(contract, mine), {
      ...base,
      [name]: value,
    });
    const bad = [answer.status, pick(answer, "error")];
    if (!fits) {
      expect(bad).toEqual([400, `valid_${name}_required`]);
      expect(pick(answer, "field")).toBe(name);
    } else expect([200, 409]).toContain(answer.status);
  });
});

const idTrials = keyed.flatMap((contract) =>
  bodyFieldsOf(contract)
    .filter(([name]) => /_ids?$/.test(name))
    .map(([name]) => [`${contract.method} ${contract.path}`, name, contract] as const),
);

describe("ids in a body", () => {
  test("are many", () => expect(idTrials.length).toBeGreaterThan(8));

  test.each(idTrials)(
    "%s: %s of another tenant is not found, like an unknown one",
    async (_, name, contract) => {
      const kind = name === "file_id" ? "file" : "agent";
      const answerTo = async (id: number | string | undefined) => {
        const body = { ...validBody(contract, mine), [name]: name.endsWith("s") ? [id] : id };
        const path = ownPath(contract, mine);
        return await ask(server, own, contract.method, path, body, { "x-request-id": "r" });
      };
      const foreign = await answerTo(theirs.ids[kind]);
      expect([foreign.status, pick(foreign, "error")]).toEqual([404, "not_found"]);
      expect(foreign.text).toBe((await answerTo(999_999)).text);
      expect(foreign.text).not.toContain(MARKER);
    },
  );
});

const queryTrials = keyed.flatMap((contract) =>
  (operationOf(contract)?.parameters ?? [])
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ name = "", schema }) =>
      trialsOf(name, schema)
        .filter(({ value }) => ["string", "number"].includes(typeof value) && value !== 5)
        .map(
          (trial) =>
            [`${contract.method} ${contract.path}`, name, trial.about, contract, trial] as const,
        ),
    ),
);

describe("query parameters at, below and above their limits", () => {
  test("are many", () => expect(queryTrials.length).toBeGreaterThan(40));

  test.each(queryTrials)("%s: %s %s", async (_, name, _about, contract, { value, fits }) => {
    const query = { ...validQuery(contract, mine), [name]: String(value) };
    const answer = await ask(
      server,
      own,
      contract.method,
      withQuery(ownPath(contract, mine), query),
    );
    if (!fits)
      expect([answer.status, pick(answer, "error")]).toEqual([400, `valid_${name}_required`]);
    else expect(answer.status).toBe(200);
  });
});

test.each(named(keyed.filter(({ method }) => method === "DELETE")))(
  "%s answers in its own format, and only once",
  async (_, contract) => {
    const path = withQuery(ownPath(contract, mine), validQuery(contract, mine));
    const answer = await ask(server, own, "DELETE", path);
    expect([answer.text, answer.status]).toEqual([answer.text, 200]);
    contract.reply.parse(answer.json);
    expect([404, 409]).toContain((await ask(server, own, "DELETE", path)).status);
  },
);
