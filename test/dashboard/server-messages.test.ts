/** What the server says, in the reader's language: by its codes, whole in every language. */
import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { z } from "zod";
import { messageCatalogues, serverMessagesIn } from "../../scripts/dashboard-sources.ts";
import { allContracts } from "../../src/app/server/contracts.ts";
import { dashboardContracts } from "../../src/app/server/dashboard-contracts.ts";
import { REGISTRATION_PROBLEMS } from "../../src/call/sip-port.ts";
import { AppError, invalidField } from "../../src/core/errors.ts";
import { ApiProblem } from "../../src/dashboard/web/api/problem.ts";
import { type Catalogue, fill } from "../../src/dashboard/web/i18n/catalogue.ts";
import {
  checkText,
  healthCheckText,
  noteText,
  problemText,
  registrationText,
} from "../../src/dashboard/web/i18n/problem-text.ts";
import { serverMessages } from "../../src/dashboard/web/i18n/server-messages.ts";
import type { ActiveSession } from "../../src/features/identity/sessions.ts";
import { statusError } from "../../src/features/knowledge/site-problems.ts";
import { readScenario } from "../../src/features/rehearsal/read-scenario.ts";
import { ScenarioInvalid } from "../../src/features/rehearsal/scenario-invalid.ts";
import { checkToolFields } from "../../src/features/tool/tool-rules.ts";
import type { Contract } from "../../src/http/contract.ts";
import { checked } from "../../src/http/contracts/check.ts";
import { requirementOf } from "../../src/http/contracts/schema.ts";
import { authorise } from "../../src/http/session/rights.ts";
import { explainRegistrationFailure } from "../../src/sip/registration-failure.ts";
import { assessTrunk, type TrunkCheck } from "../../src/sip/trunk-checks.ts";

const catalogues = await messageCatalogues();

const textsIn = (language: "en" | "lt", all: Readonly<Record<string, string | undefined>>) => ({
  language,
  findText: (key: string, parameters = {}) => {
    const text = all[key];
    return text === undefined ? null : fill(text, parameters);
  },
  t: (key: keyof Catalogue, parameters = {}) => fill(catalogues[language][key], parameters),
});
const lithuanian = textsIn("lt", { ...catalogues.lt, ...(await serverMessagesIn("lt")) });
const english = textsIn("en", catalogues.en);

/** The server's answer to the dashboard. */
const answered = (error: unknown) => {
  if (!(error instanceof AppError)) throw error;
  const { code, publicMessage, field, messageName } = error;
  return new ApiProblem(400, { error: code, message: publicMessage, field, ...messageName });
};
const thrownBy = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return answered(error);
  }
  throw new Error("nothing was refused");
};

describe("a language", () => {
  const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

  test("has every message that another has, with the same blanks", () => {
    for (const [key, { lt, lv, ru }] of Object.entries(serverMessages)) {
      expect([key, blanks(lv), blanks(ru)]).toEqual([key, blanks(lt), blanks(lt)]);
      expect(new Set([lt, lv, ru]).size, key).toBe(3);
    }
  });
});

/** Chosen from a list, switched, or made by the page: nobody can type them wrong. */
const NOT_TYPED = new Set([
  "address",
  ...[
    "action",
    "agent_ids",
    "arguments",
    "caller_level",
    "crm_mapping",
    "features",
    "first_speaker",
  ],
  ...[
    "holidays",
    "item",
    "language",
    "locale",
    "messages",
    "plan",
    "response",
    "role",
    "tenant_id",
  ],
  ...["token", "transport", "voice", "voicemail_action"],
]);

function bodiesOf(contract: Contract): z.ZodObject[] {
  if (contract.body instanceof z.ZodObject) return [contract.body];
  if (!(contract.body instanceof z.ZodDiscriminatedUnion)) return [];
  return contract.body.options.filter((option) => option instanceof z.ZodObject);
}

/** The schema alone, so that a value is checked against it and not against its neighbours. */
const refusalOf = (field: string, schema: z.ZodType) =>
  thrownBy(() => checked(z.strictObject({ [field]: schema }), { [field]: Symbol("wrong") }));

describe("a refusal", () => {
  test("with a reason says the reason, in English too; without one what its code says", () => {
    const session = { user: { operator: true }, tenant: {}, role: "owner", actingUntil: 1 };
    const contract = { method: "POST", role: "owner", scope: "tenant", notWhenActing: true };
    const acting = thrownBy(() =>
      authorise(contract as Parameters<typeof authorise>[0], session as ActiveSession),
    );
    expect(problemText(acting, english)).toBe(acting.message);
    expect(problemText(acting, lithuanian)).toBe(serverMessages["problem.acting"].lt);
    const plain = answered(new AppError({ code: "forbidden", publicMessage: "No." }));
    expect(problemText(plain, english)).toBe(catalogues.en["problem.forbidden"]);
  });
});

describe("a field that is at fault", () => {
  test("is in the reader's language for every wrong input, without blanks or keys", () => {
    const untold: string[] = [];
    for (const contract of [...allContracts(), ...dashboardContracts()])
      for (const body of bodiesOf(contract))
        for (const [field, schema] of Object.entries(body.shape)) {
          const must = requirementOf(schema)?.must;
          if (NOT_TYPED.has(field) || !must || must === "be true or false") continue;
          const problem = refusalOf(field, schema);
          const text = problemText(problem, lithuanian);
          if (text === problem.message || /[{}]|field\.|problem\./.test(text))
            untold.push(`${contract.operationId}: ${text}`);
        }
    expect(untold).toEqual([]);
  });

  test("means what its rule says: one name, several rules", () => {
    const told = (operation: string, field: string) => {
      const contract = [...allContracts(), ...dashboardContracts()].find(
        ({ operationId }) => operationId === operation,
      );
      const schema = contract && bodiesOf(contract)[0]?.shape[field];
      if (!schema) throw new Error(`${operation} has no field ${field}`);
      return problemText(refusalOf(field, schema), lithuanian);
    };
    expect(told("createTool", "name")).toBe(serverMessages["field.tool_name"].lt);
    expect(told("createAgent", "name")).toBe(
      "Vienoje eilutėje, nuo 1 iki 120 ženklų, be valdymo ir nematomų ženklų.",
    );
    expect(told("setTrunk", "password")).toBe(serverMessages["field.trunk_password"].lt);
    const wrong = invalidField("password", "The password is wrong.", { reason: "current" });
    expect(problemText(answered(wrong), lithuanian)).toBe(serverMessages["field.current"].lt);
  });

  test("of a tool's schema says what language models refuse, and where", () => {
    const told = (parameters: object) =>
      problemText(
        thrownBy(() => checkToolFields({ parameters } as Parameters<typeof checkToolFields>[0])),
        lithuanian,
      );
    const visit = { type: "object", properties: { days: { type: "array" } } };
    expect(told({ type: "object", properties: { visit } })).toStartWith(
      "Lauke „visit.days“ yra sąrašas be „items“",
    );
    expect(told({ type: "object", anyOf: [{ type: "object" }] })).toStartWith("„anyOf“");
    expect(told({ type: "object", properties: [] })).toBe(serverMessages["field.parameters"].lt);
  });

  test("of a file says in which line, in any language", () => {
    const bad = invalidField("content", "`content` is not valid JSON (line 3).", {
      params: { line: 3 },
    });
    expect(problemText(answered(bad), lithuanian)).toBe(
      `${serverMessages["field.content"].lt} 3 eilutė.`,
    );
    expect(problemText(answered(bad), english)).toBe("Is not valid JSON (line 3).");
  });

  test.each([
    [
      "name: A\nscript:\n  - say: [\n",
      "Neperskaitoma: patikrinkite įtraukas, dvitaškius ir kabutes.",
    ],
    ["script: [{say: A}]", "Trūksta „name“."],
    [
      "name: 5\nscript: [{say: A}]",
      "„name“: turi būti tekstas; panašų į skaičių rašykite kabutėse.",
    ],
    ["name: A\nscript: [{say: A, hang_up: false}]", "„script[1].hang_up“: vienas iš true."],
    ["name: A\nscript: [{silent_ms: -1}]", "„script[1].silent_ms“: ne mažiau kaip 0."],
    ["name: A\nscript: [{silent_ms: 120001}]", "„script[1].silent_ms“: ne daugiau kaip 120000."],
    ["name: A\nscript: [{silent_ms: 1.5}]", "„script[1].silent_ms“: turi būti sveikasis skaičius."],
    ["name: A\nscript: {say: A}", "„script“: turi būti sąrašas."],
    ["name: A\nscript: [A]", "„script[1]“: turi būti vardai su reikšmėmis."],
    [
      "name: A\nscript: [{say: A}]\nlimit: 1",
      "„limit“ čia nežinomas. Gal turėjote omenyje „limits“?",
    ],
    ["name: A\nscript: [{say: A}]\nxyzzyplugh: 1", "„xyzzyplugh“ čia nežinomas."],
    [
      "name: A\nscript: [{say: A, press: '1'}]",
      "„script[1]“: turi būti lygiai vienas iš say, interrupt",
    ],
    [
      "name: A\nscript: [{say: A}]\ncaller: {number: '1'}",
      '„caller.number“ rašoma taip: "+37061234567"',
    ],
    [
      "name: A\nscript: [{say: A, must: [{says: A, with: {}}]}]",
      "„script[1].must[1].with“ rašoma prie „tool“.",
    ],
    [
      "name: A\nscript: [{say: A, must: [{says: {regex: '('}}]}]",
      "„script[1].must[1].says.regex“ čia netinka.",
    ],
  ])("of a scenario says what its writer can mend: %s", (yaml, text) => {
    try {
      readScenario("scenario.yaml", yaml);
    } catch (error) {
      if (!(error instanceof ScenarioInvalid)) throw error;
      const problem = answered(invalidField("yaml", ...error.inOneField));
      const told = problemText(problem, lithuanian);
      expect(told).toStartWith(text);
      expect(told).toMatch(/\. \d eilutė\.$|\? \d eilutė\.$/);
      expect(problemText(problem, english)).toMatch(/^Line \d: /);
      expect(told + problem.message).not.toMatch(/yaml|[{}]/i);
      return;
    }
    throw new Error("the scenario was taken");
  });

  test("is in English without the field's identifier; an unknown one is the server's own text", () => {
    const zone = invalidField("time_zone", "`time_zone` must be an IANA time zone.");
    expect(problemText(answered(zone), english)).toBe("Must be an IANA time zone.");
    const unheard = invalidField("hue", "`hue` must be a colour.");
    expect(problemText(answered(unheard), lithuanian)).toBe("Must be a colour.");
    const url = invalidField("url", "`url` cannot be used: not a URL.", { reason: "url" });
    expect(problemText(answered(url), english)).toBe("Cannot be used: not a URL.");
  });
});

test("another rejection is translated by its reason, field or code; English is the server's text", () => {
  const publicMessage = "Not now.";
  type Detail = Partial<ConstructorParameters<typeof AppError>[0]>;
  const told = (detail: Detail, texts = lithuanian) =>
    problemText(answered(new AppError({ code: "conflict", publicMessage, ...detail })), texts);
  expect(told({ reason: "number_taken" })).toBe(serverMessages["problem.number_taken"].lt);
  expect(told({ reason: "number_taken" }, english)).toBe(publicMessage);
  expect(told({ code: "forbidden", field: "sign_in" })).toBe(catalogues.lt["problem.sign_in"]);
  expect(told({ code: "forbidden" })).toBe(catalogues.lt["problem.forbidden"]);
  expect(told({ code: "destination_not_allowed", field: "to_number" })).toBe(
    serverMessages["problem.destination_not_allowed"].lt,
  );
  expect(told({})).toBe(serverMessages["problem.conflict"].lt);
});

test("a site's problem is translated for the reader; English is the server's text", () => {
  const told = (status: number, texts = lithuanian) =>
    problemText(answered(statusError(status)), texts);
  expect([404, 403, 429, 503, 418].map((status) => told(status))).toEqual([
    "Tokio puslapio nėra: serveris atsakė 404.",
    "Serveris programoms arba be slaptažodžio jo nerodo: atsakė 403.",
    "Serveris atsakė 429: jis perkrautas arba sugedęs.",
    "Serveris atsakė 503: jis perkrautas arba sugedęs.",
    "Vietoj puslapio serveris atsakė 418.",
  ]);
  expect(told(404, english)).toBe("There is no such page: the server answered 404.");
});

test("a registration that failed is explained by its SIP code, or by why there was none", () => {
  const told = (code: number | null, reason: string | null = null) =>
    registrationText({ code, reason, server: "sip.x", explanation: "In English." }, lithuanian);
  for (const code of [401, 407, 403, 404, 423, 480, 500, 503])
    expect(told(code)).not.toBe("In English.");
  expect(told(503)).toContain("503");
  for (const reason of REGISTRATION_PROBLEMS)
    expect(told(200, reason)).toBe(fill(serverMessages[`sip.${reason}`].lt, { server: "sip.x" }));
  const words = explainRegistrationFailure(403, "sip.x");
  const failure = { code: 403, reason: null, server: "sip.x", explanation: words };
  expect(registrationText(failure, english)).toBe(words);
});

test("a call's ledger entry is translated; notes by people are not", () => {
  const note = "Call of 61 s: 60 s from the plan, 1 s overage";
  const entry = { note, seconds: { total: 61, plan: 60, over: 1 } };
  expect(noteText(entry, lithuanian)).toBe("61 s skambutis: 60 s iš plano, 1 s virš jo.");
  expect(noteText(entry, english)).toBe(note);
  expect(noteText({ note: "Welcome", seconds: null }, lithuanian)).toBe("Welcome");
});

test("every check of the appliance has a name in the reader's language", async () => {
  const names: string[] = [];
  for (const file of new Bun.Glob("src/ops/doctor/*.ts").scanSync(".")) {
    const exported: Readonly<Record<string, unknown>> = await import(resolve(file));
    for (const one of Object.values(exported))
      if (typeof one === "object" && one !== null && "name" in one && "run" in one)
        names.push(String(one.name));
  }
  expect(names.length).toBeGreaterThanOrEqual(20);
  const named = (texts: typeof english) => names.map((name) => healthCheckText(name, texts));
  expect(named(lithuanian).filter((text) => named(english).includes(text))).toEqual([]);
  expect(healthCheckText("disk", english)).toBe("Disk");
});

describe("a trunk's test", () => {
  const address = (host: string, port = 5060) => ({ host, port });
  const probe = {
    sipCode: 200,
    roundTripMs: 12,
    problem: null,
    servers: [],
    seenAs: null,
    codecs: null,
    local: address("10.0.0.2"),
    advertised: address("10.0.0.2"),
    call: null,
    allow: [],
    accept: [],
    supported: [],
    remote: null,
    algSigns: [],
    pending: null,
  };
  const facts = {
    settings: { server: "sip.x", port: 5060, transport: "udp" as const },
    codecs: ["PCMA"],
    externalIp: "auto",
  };
  const registered = { name: "registered", expiresAtMs: 0 } as const;
  const failed = {
    ...({ name: "failed", lastCode: 403 } as const),
    explanation: "No.",
    nextAttemptAtMs: 0,
  };
  const full = {
    ...probe,
    codecs: ["PCMA", "telephone-event"],
    allow: ["INVITE", "REFER"],
    supported: ["timer"],
    call: { sipCode: 404 },
    seenAs: address("192.0.2.1", 6000),
    servers: [{ host: "192.0.2.9", port: 5060, transport: "udp" as const, failed: false }],
  };

  test("every check is translated, passed or failed", () => {
    const all: TrunkCheck[] = [
      ...assessTrunk({ ...facts, registration: registered, probe: full }),
      ...assessTrunk({ ...facts, registration: failed, probe }),
      ...assessTrunk({ ...facts, registration: failed, probe: { ...probe, sipCode: null } }),
      ...assessTrunk({
        ...facts,
        registration: { name: "registering" },
        probe: { ...full, sipCode: 403, codecs: ["G729"], allow: ["BYE"], call: { sipCode: 488 } },
      }),
    ];
    expect(new Set(all.map(({ name }) => name)).size).toBeGreaterThanOrEqual(10);
    for (const check of all) {
      const { finding, remedy } = checkText(check, lithuanian);
      expect([check.name, check.result]).toEqual([...[check.name, check.result]]);
      expect(finding).not.toBe(check.finding);
      expect(remedy).toBeNull();
      expect(checkText(check, english)).toEqual(check);
    }
  });
});
