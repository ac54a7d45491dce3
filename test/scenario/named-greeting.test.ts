/** A known caller is greeted by name in the agent's language, over real calls. About 10 s. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AgentLanguage } from "../../src/features/agent/agent.ts";
import { contactStore } from "../../src/features/contact/contact-store.ts";
import { agents, tenants } from "../../src/store/schema/index.ts";
import { type Appliance, OWN_NUMBER, startAppliance } from "../support/appliance/appliance.ts";
import { atMost } from "../support/at-most.ts";
import { eventually } from "../support/eventually.ts";
import { tempDir } from "../support/temp-dir.ts";

let world: Appliance;

beforeAll(async () => {
  world = await startAppliance({ dataDir: tempDir(), host: "127.0.8.95" });
  await world.app.database.tx((queries) => queries.update(tenants).set({ namedGreeting: true }));
}, 60_000);
afterAll(() => world.close());

interface Case {
  readonly language: AgentLanguage;
  readonly first: string;
  readonly last: string;
  readonly number: string;
  readonly firstMessage: string;
  readonly said: string;
}

const CASES: Case[] = [
  {
    language: "lt",
    first: "Rūta",
    last: "Kazlauskaitė",
    number: "+37061000201",
    firstMessage: "Laba diena, čia odontologijos klinika.",
    said: "Laba diena, Rūta Kazlauskaite. Čia odontologijos klinika.",
  },
  {
    language: "lv",
    first: "Jānis",
    last: "Bērziņš",
    number: "+37061000202",
    firstMessage: "Labdien, te zobārstniecība.",
    said: "Labdien, Jāni Bērziņ. Te zobārstniecība.",
  },
  {
    language: "en",
    first: "Mary",
    last: "Poppins",
    number: "+37061000203",
    firstMessage: "This is the dental clinic.",
    said: "Hello, Mary Poppins. This is the dental clinic.",
  },
  {
    language: "ru",
    first: "Анна",
    last: "Петрова",
    number: "+37061000204",
    firstMessage: "Здравствуйте, это стоматология.",
    said: "Здравствуйте, Анна Петрова. Это стоматология.",
  },
];

/** A call uses the agent's settings at its start: one test at a time changes the language. */
const inTurn = atMost(1);

async function ring({ language, first, last, number, firstMessage }: Case) {
  const caller = await world.phone(number);
  return await inTurn(async () => {
    await world.app.database.tx(async (queries) => {
      await queries.update(agents).set({ language, firstMessage });
      await contactStore(queries).insert(world.tenantId, {
        numberE164: number,
        firstName: first,
        lastName: last,
        vocative: null,
        birthday: null,
        language: null,
        notes: "",
        consent: false,
        doNotCall: false,
        pinHash: null,
        createdAt: 1,
        updatedAt: 1,
      });
    });
    const call = await caller.call(OWN_NUMBER);
    await call.answered;
    return call;
  });
}

test.concurrent.each(CASES)(
  "in $language: $said",
  async (each) => {
    const call = await ring(each);
    await call.waitForReply({ quietMs: 1_000 });
    let words = "";
    await eventually(async () => {
      const { body } = await world.api("GET", "/calls");
      const uuid = body.calls.find(({ from_number }) => from_number === each.number)?.call_uuid;
      const { turns } = (await world.api("GET", `/calls/${uuid}`)).body.call;
      words = turns.find(({ speaker }) => speaker === "agent")?.text ?? "";
      return words !== "";
    }, "the greeting");
    await call.hangUp();
    expect(words).toBe(each.said);
  },
  60_000,
);
