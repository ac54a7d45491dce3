/** The prose of the OpenAPI document. */
export const INTRODUCTION = `A business-to-business platform for AI voice agents: a tenant makes agents, connects its own SIP numbers, and the appliance answers and places calls.

Every request except \`GET /ping\` needs an API key, as \`Authorization: Bearer lv_live_…\` or \`X-LV-Api-Key: lv_live_…\`. Everything a key sees belongs to its tenant: another tenant's record is answered like one that does not exist. A key may be limited: to scopes (\`read\`, \`calls\`, \`manage\`; each operation names the one it needs, and a key that lacks it gets 403 \`insufficient_scope\`), to a time, and to addresses it may come from (else 401, as for an unknown key).

Success bodies carry \`"ok": true\`. Errors are \`{"ok": false, "error", "message", "field", "request_id"}\`. Times are ISO 8601 in UTC with offset, money is EUR, what is unset is null. A body field or query parameter that an endpoint does not know is refused with \`unknown_field\`. Response-only fields of a record may be sent back with their stored values: they are ignored in a PATCH, and in a POST that copies the record. A record that can be changed is read with an \`ETag\`; a PATCH or DELETE that names it in \`If-Match\` gets 409 \`conflict\` on the field \`if_match\` if the record was changed since then. The answer to a PATCH has the new \`ETag\`. A path that exists answers other methods with 405 and \`Allow\`.

120 requests a minute for each key; above that 429 with \`Retry-After: 60\`: retry with exponential backoff. 429 and 5xx may be retried, 4xx else not.`;

export const TAGS: readonly (readonly [string, string])[] = [
  ["Service", "Whether the service is there."],
  ["Tenant", "The company account."],
  ["Agents", "AI voice assistants: prompt, voice, language."],
  ["Knowledge files", "What an agent knows: told to it as fact."],
  ["Tools", "HTTP endpoints that an agent may call during a call."],
  ["Phone numbers", "The tenant's own numbers and who answers them."],
  ["Calls", "Conversations: placing, following, ending them, and what is left of them."],
  ["Rehearsals", "Calls with an agent before callers make them: scenarios and runs."],
  ["Schedules", "Calls for later."],
  ["Reports", "Analytics and usage."],
  ["Billing", "Plans, wallet and payments."],
  ["API keys", "Bearer secrets, shown once."],
  ["Webhooks", "Signed events to the tenant's HTTPS endpoints."],
];

/** Messages of the examples; the served ones say more. */
export const EXPLANATIONS: Readonly<Record<string, string>> = {
  invalid_json: "The body must be a JSON object.",
  unknown_field: "There is no field `colour` here.",
  unauthorized:
    "Send a valid API key as `Authorization: Bearer lv_live_…` or `X-LV-Api-Key: lv_live_…`.",
  forbidden: "Your role does not allow this.",
  insufficient_scope: "This API key lacks the scope `manage`; it has: read.",
  insufficient_balance:
    "Plan minutes or the free minutes of trials are used up, and the wallet cannot pay.",
  plan_limit_reached: "A cap of the plan is reached.",
  destination_not_allowed: "The tenant's dialling rules forbid this number.",
  not_found: "Record not found.",
  method_not_allowed: "This path does not answer that method; `Allow` says which it does.",
  conflict: "The state of the record does not allow it.",
  payload_too_large: "The request body is larger than 2097152 bytes.",
  rate_limited: "More than 120 requests in a minute with this key. Wait 60 seconds.",
  engine: "Something failed on our side. Try again.",
  unavailable: "The appliance is shutting down, or its storage is out of reach.",
};
