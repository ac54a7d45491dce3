/** The person of an audit log entry when only an address is known. */
import { expect, test } from "bun:test";
import { createAudit } from "../../../src/features/identity/audit.ts";

/** Ids other than 0 belong to a company; addresses in `users` belong to an account. */
function auditOf(users: Readonly<Record<string, number>>) {
  const asked: number[] = [];
  const stores = () => ({
    users: {
      byEmail: async (email: string) => (users[email] ? { id: users[email], email } : null),
    },
    team: {
      async membershipsOf(userId: number) {
        asked.push(userId);
        return userId === 0 ? [] : [{ tenantId: 10 * userId }, { tenantId: 99 }];
      },
    },
  });
  const deps = { stores, database: { read: {} } };
  return { asked, audit: createAudit(deps as unknown as Parameters<typeof createAudit>[0]) };
}

test("a known address gives its user and first company", async () => {
  const { audit } = auditOf({ "anna@clinic.example": 3 });
  expect(await audit.actorOf(" Anna@clinic.example ")).toEqual({
    userId: 3,
    email: "anna@clinic.example",
    tenantId: 30,
  });
});

test("an unknown address gives neither, with the same number of queries", async () => {
  const { audit, asked } = auditOf({});
  const nobody = { userId: null, email: null, tenantId: null };
  expect(await audit.actorOf("my password")).toEqual(nobody);
  expect(asked).toEqual([0]);
});
