/** Valid addresses of an account. */
import { expect, test } from "bun:test";
import { Setup } from "../../../src/features/identity/setup.ts";

const setup = new Setup(
  {
    vault: { lastingKey: () => new Uint8Array(32) },
    stores: () => ({ team: { tenant: async () => undefined } }),
    database: { tx: (work: (queries: null) => Promise<unknown>) => work(null) },
  } as unknown as ConstructorParameters<typeof Setup>[0],
  {} as unknown as ConstructorParameters<typeof Setup>[1],
);

/** `not_found`: the address is valid, but the company is unknown. */
const answerTo = (email: string) =>
  setup
    .createUser({ email, name: null, tenantId: 1, role: "owner", operator: false })
    .catch((error) => error.code as string);

test.each([
  [254, "not_found"],
  [255, "valid_email_required"],
])("an address of %d characters: %s", async (length, code) => {
  const domain = `@${"b".repeat(60)}.example`;
  expect(await answerTo(`${"a".repeat(length - domain.length)}${domain}`)).toBe(code);
});

test.each(["", "rasa", "rasa@", "@example.com", "ra sa@example.com", "rasa@exa,mple.com"])(
  "%j is not an address",
  async (email) => {
    expect(await answerTo(email)).toBe("valid_email_required");
  },
);
