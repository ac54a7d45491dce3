/** The server's sentences in the reader's language: by stable codes, whole in every language. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { messageCatalogues, sentencesIn } from "../../scripts/dashboard-sources.ts";
import { explainRegistrationFailure } from "../../src/adapter/sip/registration-failure.ts";
import { assessTrunk, type TrunkCheck } from "../../src/adapter/sip/trunk-checks.ts";
import { ApiProblem } from "../../src/dashboard/web/api/problem.ts";
import { type Catalogue, fill } from "../../src/dashboard/web/i18n/catalogue.ts";
import {
  checkText,
  fieldText,
  noteText,
  problemInWords,
  registrationText,
} from "../../src/dashboard/web/i18n/server-messages.ts";
import { serverSentences } from "../../src/dashboard/web/i18n/server-sentences.ts";
import { requirementOf } from "../../src/interface/contracts/schema.ts";
import type { Contract } from "../../src/interface/http/contract.ts";
import { dashboardContracts } from "../../src/interface/http/dashboard/routes/pages.ts";
import { allContracts } from "../../src/interface/http/routes/contracts.ts";

const { lt: catalogue } = await messageCatalogues();

const textsIn = (language: "en" | "lt", all: Readonly<Record<string, string | undefined>>) => ({
  language,
  findText: (key: string, parameters = {}) => {
    const text = all[key];
    return text === undefined ? null : fill(text, parameters);
  },
  t: (key: keyof Catalogue, parameters = {}) => fill(catalogue[key], parameters),
});
const lithuanian = textsIn("lt", await sentencesIn("lt"));
const english = textsIn("en", {});

const refusal = (path: string, error: string, message: string, field: string | null = null) =>
  new ApiProblem(400, { error, message, field }, `https://x/api/v1/${path}`);
const badField = (path: string, field: string, message: string) =>
  refusal(path, `valid_${field}_required`, message, field);

describe("a language", () => {
  const blanks = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

  test("has every sentence that another has, with the same blanks", () => {
    for (const [key, { lt, lv, ru }] of Object.entries(serverSentences))
      expect([key, blanks(lv), blanks(ru)]).toEqual([key, blanks(lt), blanks(lt)]);
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

describe("a field that is at fault", () => {
  test("is told in the reader's language, whatever can be typed wrong", () => {
    const untold: string[] = [];
    for (const contract of [...allContracts(), ...dashboardContracts()])
      for (const body of bodiesOf(contract))
        for (const [field, schema] of Object.entries(body.shape)) {
          const must = requirementOf(schema);
          if (NOT_TYPED.has(field) || !must || must === "be true or false") continue;
          const message = `\`${field}\` must ${must}.`;
          const path = contract.path.replace(/^\/|\{\w+\}/g, "");
          if (fieldText(badField(path, field, message), lithuanian) === message)
            untold.push(`${contract.operationId}: ${message}`);
        }
    expect(untold).toEqual([]);
  });

  test("means what its place says: one name, several rules", () => {
    const name = "`name` must be 1 to 64 characters: lower-case letters, digits and underscores.";
    expect(fieldText(badField("tools", "name", name), lithuanian)).toBe(
      serverSentences["field.tools.name"].lt,
    );
    const long = "`name` must be text of 1 to 120 characters.";
    expect(fieldText(badField("agents", "name", long), lithuanian)).toBe("Nuo 1 iki 120 ženklų.");
    const wrong = "This is not your password.";
    expect(fieldText(badField("totp/disable", "password", wrong), lithuanian)).toBe(
      serverSentences["field.current"].lt,
    );
    const stored = "`password` is needed: none is stored yet.";
    expect(fieldText(badField("trunk", "password", stored), lithuanian)).toBe(
      serverSentences["field.trunk.password"].lt,
    );
  });

  test("of a tool's schema says what language models refuse, and where", () => {
    const list =
      '`parameters`: visit.days is an array without one "items", which language models refuse: say what is in it, such as "items": {"type":"string"}.';
    expect(fieldText(badField("tools", "parameters", list), lithuanian)).toStartWith(
      "Lauke „visit.days“ yra sąrašas be „items“",
    );
    const top = `\`parameters\`: "anyOf" may not stand at the top of the JSON Schema, because language models refuse it there: put it into a property, or make a tool for each case.`;
    expect(fieldText(badField("tools/7", "parameters", top), lithuanian)).toStartWith("„anyOf“");
  });

  test("of a file says in which line, in any language", () => {
    const message = "`content` is not valid JSON (line 3).";
    expect(fieldText(badField("files/7", "content", message), lithuanian)).toBe(
      `${serverSentences["field.content"].lt} 3 eilutė.`,
    );
  });

  test("is told in English without the code of its name, and as the server says where we know nothing", () => {
    const message = "`time_zone` must be an IANA time zone such as Europe/Vilnius.";
    expect(fieldText(badField("tenant-settings", "time_zone", message), english)).toBe(
      "Must be an IANA time zone such as Europe/Vilnius.",
    );
    const unheard = "`hue` must be a colour.";
    expect(fieldText(badField("things", "hue", unheard), lithuanian)).toBe(unheard);
  });
});

test("another refusal is told by its code and where it was asked, else in the server's words", () => {
  const taken = refusal("phone-numbers", "conflict", "This number is registered already.");
  expect(problemInWords(taken, lithuanian)).toBe(serverSentences["code.conflict.phone-numbers"].lt);
  expect(problemInWords(taken, english)).toBe("This number is registered already.");
  const code = refusal("sign-in/totp", "unauthorized", "This code is not right now.");
  expect(problemInWords(code, lithuanian)).toBe(serverSentences["code.unauthorized.totp"].lt);
  const abroad = refusal("calls", "destination_not_allowed", "Not there.", "to_number");
  expect(fieldText(abroad, lithuanian)).toBe(serverSentences["code.destination_not_allowed"].lt);
  const other = refusal("things", "conflict", "The thing is busy.");
  expect(problemInWords(other, lithuanian)).toBe("The thing is busy.");
});

test("a registration that failed is explained by its SIP code; a broken way in the server's words", () => {
  const told = (code: number | null, explanation = explainRegistrationFailure(code, "sip.x")) =>
    registrationText({ code, server: "sip.x", explanation }, lithuanian);
  for (const code of [401, 407, 403, 404, 423, 480, 500, 503])
    expect(told(code)).not.toBe(explainRegistrationFailure(code, "sip.x"));
  expect(told(503)).toContain("503");
  expect(told(null)).toStartWith("sip.x neatsako");
  expect(told(null, "The TLS certificate of sip.x is not valid today.")).toContain("certificate");
  const words = explainRegistrationFailure(403, "sip.x");
  const failure = { code: 403, server: "sip.x", explanation: words };
  expect(registrationText(failure, english)).toBe(words);
});

test("a call's entry in the ledger is told in the reader's language, other notes as they were written", () => {
  const note = "Call of 61 s: 60 s from the plan, 1 s overage";
  expect(noteText(note, lithuanian)).toBe("61 s skambutis: 60 s iš plano, 1 s virš jo.");
  expect(noteText(note, english)).toBe(note);
  expect(noteText("Welcome", lithuanian)).toBe("Welcome");
});

describe("a trunk's test", () => {
  const address = (host: string, port = 5060) => ({ host, port });
  const probe = {
    ...{ sipCode: 200, roundTripMs: 12, problem: null, servers: [], seenAs: null, codecs: null },
    ...{ local: address("10.0.0.2"), advertised: address("10.0.0.2"), call: null },
    ...{ allow: [], accept: [], supported: [], remote: null, algSigns: [], pending: null },
  };
  const facts = {
    settings: { server: "sip.x", port: 5060, transport: "udp" as const },
    ...{ codecs: ["PCMA"], externalIp: "auto" },
  };
  const registered = { name: "registered", expiresAtMs: 0 } as const;
  const failed = {
    ...({ name: "failed", lastCode: 403 } as const),
    ...{ explanation: "No.", nextAttemptAtMs: 0 },
  };
  const full = {
    ...probe,
    ...{ codecs: ["PCMA", "telephone-event"], allow: ["INVITE", "REFER"], supported: ["timer"] },
    ...{ call: { sipCode: 404 }, seenAs: address("192.0.2.1", 6000) },
    servers: [{ host: "192.0.2.9", port: 5060, transport: "udp" as const, failed: false }],
  };

  test("tells every check in the reader's language, good or bad", () => {
    const all: TrunkCheck[] = [
      ...assessTrunk({ ...facts, registration: registered, probe: full }),
      ...assessTrunk({ ...facts, registration: failed, probe }),
      ...assessTrunk({ ...facts, registration: failed, probe: { ...probe, sipCode: null } }),
      ...assessTrunk({
        ...facts,
        registration: { name: "registering" },
        probe: {
          ...full,
          ...{ sipCode: 403, codecs: ["G729"], allow: ["BYE"], call: { sipCode: 488 } },
        },
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
