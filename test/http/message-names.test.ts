/**
 * The name of an error message goes to the dashboard only; programs with a key get the specification's five
 * fields.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { signedInBrowser } from "../support/browser/dashboard-session.ts";
import { timedServer } from "../support/http/timed-server.ts";

setDefaultTimeout(60_000);

test("a refusal carries its reason and parameters only for a browser", async () => {
  const { server } = await timedServer();
  const { id, key } = await server.tenant();
  const owner = await signedInBrowser(server, { tenantId: id });
  const long = { name: "x".repeat(200), language: "lt" };
  const bodyOf = async (asked: Promise<{ json: unknown }>) => {
    const { json } = await asked;
    return json as Record<string, unknown>;
  };

  const shown = await bodyOf(owner.fetch("POST", "/api/v1/agents", long));
  expect(shown).toMatchObject({ reason: "one_line", params: { from: 1, to: 120 } });
  const answered = await fetch(`${server.base}/api/v1/agents`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(long),
  });
  const { reason, params, request_id, ...same } = shown;
  expect(await answered.json()).toEqual({ ...same, request_id: expect.any(String) });

  const number = { number_e164: "+37052000009" };
  await owner.fetch("POST", "/api/v1/phone-numbers", number);
  const twice = await bodyOf(owner.fetch("POST", "/api/v1/phone-numbers", number));
  expect(twice).toMatchObject({ error: "conflict", reason: "number_taken" });
});
