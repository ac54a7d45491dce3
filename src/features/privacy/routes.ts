/** GDPR erasure by telephone number; the person need not be a contact (additive to the specification). */
import { z } from "zod";
import { contract, route } from "../../http/contract.ts";
import { callersNumberIn, okReply, shown } from "../../http/contracts/schema.ts";
import type { RouteContext } from "../../http/route-context.ts";

export const Erasure = z
  .strictObject({
    contacts: shown(z.int(), "Number of contacts with the number.", 1),
    calls: shown(
      z.int(),
      "Number of calls. They remain without number, transcript and recording.",
      3,
    ),
    recordings: shown(z.int(), "Number of recordings.", 2),
    schedules_cancelled: shown(z.int(), "Number of cancelled pending calls.", 0),
  })
  .meta({ id: "Erasure" });

const asked = z.strictObject({ number: callersNumberIn("Number of the person:") });

export const countErasure = contract({
  operationId: "countErasure",
  at: "GET /erasures",
  weight: 5,
  tag: "Contacts",
  role: "owner",
  summary: "Count the data about a telephone number",
  query: asked,
  reply: okReply({ erasure: Erasure }),
  errors: ["conflict", "valid_number_required"],
});

export const erasePerson = contract({
  operationId: "erasePerson",
  at: "POST /erasures",
  audited: true,
  weight: 5,
  recent: true,
  tag: "Contacts",
  role: "owner",
  summary: "Erase all data about a telephone number",
  description:
    "Erases recordings, transcripts, summaries, events, mails, pending calls, the contact and memories of agents. Calls remain for billing, without the person's data. A do-not-call request remains valid. Backups keep the data until they expire. Returns 409 during a call with the number and while its recording is processed. Repeating the request is harmless.",
  body: asked.meta({ id: "ErasureRequest" }),
  reply: okReply({ erasure: Erasure }),
  errors: ["conflict", "valid_number_required"],
});

type ErasureReport = Awaited<ReturnType<RouteContext["dependencies"]["services"]["erasePerson"]>>;

const present = (report: ErasureReport) => ({
  contacts: report.contacts,
  calls: report.calls,
  recordings: report.recordings,
  schedules_cancelled: report.schedules_cancelled,
});

export const erasureRoutes = ({ dependencies: { services } }: RouteContext) => [
  route(countErasure)(async ({ tenantId, query: { number } }) => ({
    ok: true,
    erasure: present(await services.erasePerson(tenantId, number, true)),
  })),
  route(erasePerson)(async ({ tenantId, body: { number } }) => ({
    ok: true,
    erasure: present(await services.erasePerson(tenantId, number, false)),
  })),
];
