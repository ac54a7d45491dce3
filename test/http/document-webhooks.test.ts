/** Events, defaults and patterns in the document match the program. */
import { describe, expect, test } from "bun:test";
import { allContracts } from "../../src/app/server/contracts.ts";
import { checkTransferTarget } from "../../src/call/admission/dialing-rules.ts";
import { AppError } from "../../src/core/errors.ts";
import {
  EVENT_TYPES,
  EVENTS,
  SPECIFIED_EVENT_TYPES,
} from "../../src/features/webhook/event-types.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { makeFixtures } from "../support/http/api-fixtures.ts";
import { ask, pick, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Field {
  readonly default?: unknown;
  readonly pattern?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}
interface Delivery {
  readonly post: {
    readonly parameters: readonly Parameter[];
    readonly requestBody: {
      readonly content: {
        readonly "application/json": {
          readonly schema: { readonly properties: Readonly<Record<string, unknown>> };
          readonly example: { readonly type: string; readonly data: object };
        };
      };
    };
  };
}
const document = openApiDocument(allContracts(), "0") as unknown as {
  readonly webhooks: Readonly<Record<string, Delivery>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, Field>> }>
    >;
  };
};

describe("the webhooks section", () => {
  test("has the specification's seven events, and the added ones", () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES]);
    for (const type of SPECIFIED_EVENT_TYPES) expect(document.webhooks[type]).toBeDefined();
  });

  test.each([...EVENT_TYPES])("%s: headers, envelope and a matching example", (type) => {
    const { parameters, requestBody } = document.webhooks[type]?.post ?? {};
    expect(parameters?.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
      "header X-LV-Event",
      "header X-LV-Delivery-Id",
      "header X-LV-Timestamp",
      "header X-LV-Signature",
    ]);
    const body = requestBody?.content["application/json"];
    expect(Object.keys(body?.schema.properties ?? {})).toEqual([
      "id",
      "type",
      "created_at",
      "data",
    ]);
    expect(body?.example.type).toBe(type);
    EVENTS[type].data.parse(body?.example.data);
  });
});

describe("defaults", () => {
  test("are given for every optional field of a new agent, and are its actual values", async () => {
    const server = await startApiServer({ directory: tempDir() });
    const tenant = await server.tenant();
    const made = await ask(server, tenant, "POST", "/agents", { name: "A", prompt: "B" });
    const agent = await ask(server, tenant, "GET", `/agents/${pick(made, "agent.id")}`);
    const {
      name: _,
      prompt: __,
      ...optional
    } = document.components.schemas.NewAgent?.properties ?? {};
    expect(Object.keys(optional).length).toBeGreaterThanOrEqual(10);
    for (const [name, field] of Object.entries(optional))
      expect([name, field.default]).toEqual([name, pick(agent, `agent.${name}`)]);
    await makeFixtures(server, tenant, "mine", "+37051111111");
    const number = await ask(server, tenant, "GET", "/phone-numbers");
    const ofNumber = document.components.schemas.NewPhoneNumber?.properties ?? {};
    for (const name of ["agent_id", "inbound_enabled"])
      expect(ofNumber[name]?.default).toEqual(pick(number, `phone_numbers.0.${name}`));
    const contact = await ask(server, tenant, "POST", "/contacts", {
      number_e164: "+37060000010",
    });
    for (const [name, field] of Object.entries(
      document.components.schemas.NewContact?.properties ?? {},
    ))
      if (!["number_e164", "pin"].includes(name))
        expect([name, field.default]).toEqual([name, pick(contact, `contact.${name}`)]);
    await server.stop();
  });

  test("are not given for changes: omitted fields stay unchanged", () => {
    const changes = document.components.schemas.AgentChanges?.properties ?? {};
    for (const field of Object.values(changes)) expect(field.default).toBeUndefined();
  });
});

describe("the pattern of a transfer's target", () => {
  const pattern = new RegExp(document.components.schemas.Transfer?.properties.to?.pattern ?? "^$");
  const rules = { allowedPrefixes: ["+370"], callerId: "+37052000000" };
  const isForm = (to: string): boolean => {
    try {
      checkTransferTarget(to, rules as never);
      return true;
    } catch (error) {
      return error instanceof AppError && error.code === "destination_not_allowed";
    }
  };

  test.each([
    ["+37060000003", true],
    ["sip:desk@example.com", true],
    ["SIP:desk@192.0.2.1", true],
    ["sip:desk%20two@example.com", true],
    ["sips:desk@example.com", false],
    ["sip:desk@example.com;transport=tcp", false],
    ["sip:desk", false],
    ["sip:a b@example.com", false],
    ["sip:a%2@example.com", false],
    ["37060000003", false],
    ["tel:+37060000003", false],
  ])("%s is accepted: %p", (to, taken) => {
    expect([pattern.test(to), isForm(to)]).toEqual([taken, taken]);
  });
});
