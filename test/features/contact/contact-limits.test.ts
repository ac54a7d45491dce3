/** Limits of contacts: people per number, PIN storage, and pieces of the book. */
import { expect, test } from "bun:test";
import { Callers } from "../../../src/features/contact/caller-identification.ts";
import type { ContactRecord } from "../../../src/features/contact/contacts.ts";
import { ContactBook } from "../../../src/features/contact/contacts-csv.ts";
import type { CallerTenant } from "../../../src/features/contact/ports.ts";
import { fakeClock } from "../../support/fake-clock.ts";

type Deps = ConstructorParameters<typeof ContactBook>[0];

const person = (id: number, changes: Partial<ContactRecord> = {}) =>
  ({
    id,
    numberE164: `+3706${1_000_000 + id}`,
    firstName: "Jonas",
    lastName: "",
    vocative: "",
    birthday: null,
    language: null,
    notes: "",
    consent: false,
    doNotCall: false,
    pinHash: null,
    createdAt: 0,
    updatedAt: 0,
    ...changes,
  }) as ContactRecord;

function book(stored: readonly ContactRecord[] = []) {
  const made: Omit<ContactRecord, "id">[][] = [];
  let asked = 0;
  const records = {
    after: async (_: number, id: number, limit: number) =>
      stored.filter((contact) => contact.id > id).slice(0, limit),
    byNumbers: async () => [],
    insert: async (_: number, contact: Omit<ContactRecord, "id">) => ({ ...contact, id: 1 }),
    insertMany: async (_: number, contacts: Omit<ContactRecord, "id">[]) => {
      made.push(contacts);
    },
  };
  const deps = {
    clock: fakeClock(),
    database: { read: null, tx: (work: (queries: null) => Promise<unknown>) => work(null) },
    records: () => records,
    quotas: { require: async () => void asked++ },
    doNotCallList: { has: async () => false, among: async () => new Set(), note: async () => {} },
  } as unknown as Deps;
  return { book: new ContactBook(deps), made };
}

test.each([
  [5, true],
  [6, false],
])("consent to a birthday call of person %d behind a number counts: %p", async (place, counts) => {
  const people = Array.from({ length: 9 }, (_, at) =>
    person(at + 1, { consent: at + 1 === place }),
  );
  const callers = new Callers({
    contacts: () => ({
      byNumber: async (_: number, __: string, limit: number) => people.slice(0, limit),
    }),
    records: () => ({
      purpose: async () => ({ reason: "", sensitive: false, origin: "birthday" }),
      callingHours: async () => null,
    }),
    doNotCallList: { has: async () => false },
  } as unknown as ConstructorParameters<typeof Callers>[0]);
  const call = { tenantId: 1, callUuid: "c", toNumber: "+37060000001" };
  const dialled = callers.mayDial(null as unknown as Parameters<Callers["mayDial"]>[0], call);
  expect(
    await dialled.then(
      () => true,
      () => false,
    ),
  ).toBe(counts);
});

test.each([
  ["outbound", ["treatment"]],
  ["inbound", []],
] as const)(
  "an %s call has the variables %j of a campaign's target",
  async (direction, expected) => {
    const callers = new Callers({
      clock: fakeClock(),
      contacts: () => ({ byNumber: async () => [] }),
      records: () => ({
        purpose: async () => undefined,
        variables: async () => ({ treatment: "cleaning" }),
      }),
    } as unknown as ConstructorParameters<typeof Callers>[0]);
    const { variables } = await callers.contextOf(
      ...([
        null as unknown as Parameters<Callers["mayDial"]>[0],
        { id: 1, timeZone: "UTC" } as CallerTenant,
      ] as const),
      { language: "en", firstMessage: "Hello." },
      { direction, number: "+37060000001", callUuid: "c" },
    );
    expect(Object.keys(variables)).toEqual([...expected]);
  },
);

test("a PIN is stored as Argon2id with 19 MiB and two rounds, and only as that", async () => {
  const { pinHash } = await book().book.create(1, { ...person(1), pin: "4172" });
  expect(pinHash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await Bun.password.verify("4172", pinHash ?? "")).toBe(true);
  expect((await book().book.create(1, { ...person(1), pin: null })).pinHash).toBeNull();
});

test.each([
  [499, null],
  [500, 500],
  [501, 500],
])("of %d contacts, the second piece of the file begins after %p", async (count, next) => {
  const stored = Array.from({ length: count }, (_, at) => person(at + 1));
  const piece = await book(stored).book.exportPiece(1, 0);
  expect(piece.next).toBe(next);
  const pieces = await Array.fromAsync(book(stored).book.export(1));
  expect(pieces.join("").trim().split("\r\n")).toHaveLength(count + 1);
});

test("fifty lines of a file are stored in one transaction, twenty are previewed", async () => {
  const { book: contacts, made } = book();
  const numbers = Array.from({ length: 101 }, (_, at) => `+3706${1_000_000 + at}`);
  const file = { csv: `number\n${numbers.join("\n")}\n`, country: null, skipBad: false };
  const shown = await contacts.import(1, { ...file, dryRun: true });
  expect([shown.preview.length, shown.created, made.length]).toEqual([20, 101, 0]);
  const report = await contacts.import(1, { ...file, dryRun: false });
  expect(report).toMatchObject({ dryRun: false, created: 101, updated: 0, unchanged: 0 });
  expect(made.map((batch) => batch.length)).toEqual([50, 50, 1]);
});

test.each([
  ["nobody knows", [], { cliIdentity: true }, []],
  ["is one contact's, where neither feature uses that", [person(1)], {}, []],
  ["is one contact's", [person(1)], { namedGreeting: true }, ["is that of the contact"]],
  ["is a contact's without a name", [person(1, { firstName: "" })], { namedGreeting: true }, []],
  [
    ...(["is two contacts'", [person(1), person(2)], { namedGreeting: true }] as const),
    ["belongs to several contacts"],
  ],
] as const)(
  "for a number that %s the agent gets the possible contacts",
  async (_, known, on, told) => {
    const callers = new Callers({
      clock: fakeClock(),
      contacts: () => ({ byNumber: async () => known }),
    } as unknown as ConstructorParameters<typeof Callers>[0]);
    const { facts } = await callers.contextOf(
      null as unknown as Parameters<Callers["mayDial"]>[0],
      { id: 1, timeZone: "UTC", ...on } as CallerTenant,
      { language: "en", firstMessage: "Hello." },
      { direction: "inbound", number: "+37060000001", callUuid: "c" },
    );
    const about = facts.filter((fact) => fact.startsWith("The number"));
    expect(about).toEqual(told.map((words) => expect.stringContaining(words)));
  },
);
