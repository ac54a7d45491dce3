/** The audit log has a sentence for everything that it records. */
import { expect, test } from "bun:test";
import { messageCatalogues } from "../../scripts/dashboard-sources.ts";
import { allContracts } from "../../src/app/server/contracts.ts";
import { dashboardContracts } from "../../src/app/server/dashboard-contracts.ts";
import {
  auditChanges,
  auditSentence,
  hasSentence,
} from "../../src/dashboard/web/pages/team/audit/audit-sentence.ts";

const catalogues = await messageCatalogues();

const textsOf = (language: keyof typeof catalogues) => {
  const all: Readonly<Record<string, string | undefined>> = catalogues[language];
  const findText = (key: string, blanks: Record<string, string> = {}) =>
    all[key]?.replace(/\{(\w+)\}/g, (_, name: string) => blanks[name] ?? "") ?? null;
  return {
    findText,
    t: (key: string, blanks?: Record<string, string>) => findText(key, blanks) ?? key,
    dateTime: (iso: string) => iso.slice(11, 16),
  } as unknown as Parameters<typeof auditSentence>[1];
};
const ENTRY = {
  id: 1,
  at: "",
  user_email: "Rasa",
  key_label: null,
  command_line: false,
  command_line_user: null,
  action: "setTrunk",
  target: "/trunk",
  ip: "",
  subject: null,
  changes: [],
  acting_until: null,
  outcome: "done",
} satisfies Parameters<typeof auditSentence>[0];

test("every operation that it records has a sentence in every language", () => {
  const recorded = [...dashboardContracts(), ...allContracts()]
    .filter(({ method, audited, open }) => !open && (method !== "GET" || audited))
    .map(({ operationId }) => operationId);
  const actions = [...recorded, "signIn", "signOut", "talkToAgent", "listenToCall"];
  expect(actions.filter((action) => !hasSentence(action))).toEqual([]);
  for (const language of ["en", "lt", "lv", "ru"] as const)
    for (const action of actions)
      expect(auditSentence({ ...ENTRY, action }, textsOf(language))).not.toContain("/trunk");
});

test("says what changed in words", () => {
  const changes = [
    { field: "server", from: "a", to: "b" },
    { field: "register", from: "false", to: "true" },
    { field: "password", from: null, to: "•••" },
  ];
  const entry = { ...ENTRY, changes };
  expect(auditSentence(entry, textsOf("en"))).toBe("Rasa changed the trunk");
  const byKey = { ...ENTRY, user_email: null, key_label: "shop", action: "createKey" };
  expect(auditSentence(byKey, textsOf("en"))).toBe("API key “shop” added an API key");
  const byCommand = { ...ENTRY, user_email: null, command_line: true, action: "erasePerson" };
  expect(auditSentence(byCommand, textsOf("en"))).toBe(
    "The operator (command line) erased all data about a person",
  );
  expect(auditChanges(entry, textsOf("en"))).toEqual([
    "SIP server: a → b",
    "Register: no → yes",
    "Password: •••",
  ]);
});
