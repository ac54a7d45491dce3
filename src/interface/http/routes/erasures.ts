/** A person's request to be forgotten, by telephone number; the person need be no contact (additive to the specification). */
import { z } from "zod";
import { callersNumberIn, okReply, shown } from "../../contracts/schema.ts";
import { contract, route } from "../contract.ts";
import type { RouteContext } from "./context.ts";

export const Erasure = z
  .strictObject({
    contacts: shown(z.int(), "Contacts with the number.", 1),
    calls: shown(z.int(), "Calls, which stay without number, words and recording.", 3),
    recordings: shown(z.int(), "Recordings.", 2),
    schedules_cancelled: shown(z.int(), "Calls to the number that were still to be placed.", 0),
  })
  .meta({ id: "Erasure" });

const asked = z.strictObject({ number: callersNumberIn("Of the person.") });

export const countErasure = contract({
  operationId: "countErasure",
  at: "GET /erasures",
  weight: 5,
  tag: "Contacts",
  role: "owner",
  summary: "What there is about a telephone number",
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
  summary: "Erase all about a telephone number",
  description:
    "Recordings, transcripts, summaries, events, mails, calls to be placed, the contact and what agents remember. Calls stay without the person, for the bill. Backups keep it until they expire. Who asked not to be called stays so. 409 during a call with the number, and while its recording is processed. Sent again, it erases nothing more.",
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
