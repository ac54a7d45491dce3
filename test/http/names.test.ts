/** Names are one line that shows all of its characters; texts of several lines keep theirs. */
import { afterAll, expect, test } from "bun:test";
import { z } from "zod";
import { contactFields } from "../../src/features/tenant/contract.ts";
import { signedInBrowser } from "../support/browser/dashboard-session.ts";
import { ask, pick, startApiServer } from "../support/http/api-server.ts";
import { tempDir } from "../support/temp-dir.ts";

const server = await startApiServer({ directory: tempDir() });
afterAll(() => server.stop());

const HIDDEN = {
  "a line end": "Front\ndesk",
  "a tab": "Front\tdesk",
  NUL: "Front\0desk",
  "an escape sequence": "Front\u001b[31mdesk",
  "a C1 control": "Front\u0085desk",
  "a paragraph separator": "Front\u2029desk",
  "a changed direction": "Front\u202edesk",
  "an isolate": "Front\u2066desk\u2069",
  "a space without width": "Front\u200bdesk",
  "a byte order mark": "Front\ufeffdesk",
  "tag characters": "Front\u{e0041}desk",
  "nothing but a joiner": "\u200d",
};
const PLAIN = ["Dr. O’Neil & Sons, UAB „Šypsena“", "می‌خواهم", "👩‍⚕️ Anna", "Наталья (1-й этаж)"];

const agent = { name: "Reception", prompt: "Be kind.\n\tAlways.\r\nNever \u202erude." };

test("an agent's name cannot have invisible characters, its prompt keeps its lines", async () => {
  const tenant = await server.tenant();
  for (const [what, name] of Object.entries(HIDDEN)) {
    const refused = await ask(server, tenant, "POST", "/agents", { ...agent, name });
    expect([what, refused.status]).toEqual([what, 400]);
    expect(refused.json).toMatchObject({
      error: "valid_name_required",
      message:
        "`name` must be text of 1 to 120 characters on one line, without control or invisible characters.",
      field: "name",
    });
  }
  for (const name of PLAIN) {
    const made = await ask(server, tenant, "POST", "/agents", { ...agent, name: ` ${name} ` });
    expect(pick(made, "agent.name")).toBe(name);
    const { json } = await ask(server, tenant, "GET", `/agents/${pick(made, "agent.id")}`);
    expect(json).toMatchObject({ agent: { prompt: agent.prompt } });
  }
});

test("neither can names of numbers, keys, contacts and files", async () => {
  const tenant = await server.tenant();
  const number = { number_e164: "+37060000001" };
  const bodies = {
    "/phone-numbers": (label: string) => ({ ...number, label }),
    "/keys": (label: string) => ({ label }),
    "/contacts": (first_name: string) => ({ ...number, first_name }),
    "/files": (name: string) => ({ filename: `${name}.md`, content: "# A\n\tB\u202e" }),
  };
  for (const [path, bodyOf] of Object.entries(bodies)) {
    for (const [what, name] of Object.entries(HIDDEN)) {
      const { status } = await ask(server, tenant, "POST", path, bodyOf(name));
      expect([path, what, status]).toEqual([path, what, 400]);
    }
    expect((await ask(server, tenant, "POST", path, bodyOf("Šypsena 👩‍⚕️"))).status).toBe(200);
  }
  const notes = { ...number, first_name: "Jonas", notes: "Mornings\n\tonly" };
  expect(pick(await ask(server, tenant, "POST", "/contacts", notes), "contact.notes")).toBe(
    notes.notes,
  );
});

test("a contact import drops invisible marks, and rejects a name that is not valid text", async () => {
  const tenant = await server.tenant();
  const csv =
    'number,first_name,notes\n+37060000001,Jonas,"a\nb"\n+37060000002,"O\u202ena",\n+37060000003,A\ufffdna,\n';
  const report = await ask(server, tenant, "POST", "/contacts/import", { csv, dry_run: true });
  expect(report.json).toMatchObject({
    problems: [{ line: 5, column: "first_name" }],
    preview: [{ first_name: "Jonas" }, { first_name: "Ona" }],
  });
});

test("names of people and companies, and sign-in addresses, have no invisible characters", async () => {
  const { id } = await server.tenant();
  const owner = await signedInBrowser(server, { tenantId: id });
  const refusals = [
    await owner.fetch("POST", "/api/dashboard/profile", { name: "Ra\u202esa" }),
    await owner.fetch("POST", "/api/dashboard/team/invitations", {
      email: "ra\u202esa@clinic.example",
      role: "member",
    }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([400, 400]);
  const company = z.strictObject(contactFields);
  const email = "office@clinic.example";
  expect(company.safeParse({ name: "UAB\nSmile", email }).success).toBe(false);
  expect(company.safeParse({ name: "UAB Smile", email: `\u200b${email}` }).success).toBe(false);
  expect(company.safeParse({ name: "UAB Smile", email }).success).toBe(true);
});
