/** Text of an audit log entry: who did what to which object, with the old and new values. */
import type { operations } from "../../../api/dashboard.gen.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import type { Texts } from "../../../i18n/text.tsx";

export type AuditEntry =
  operations["listAudit"]["responses"][200]["content"]["application/json"]["entries"][number];

type Verb = "made" | "changed" | "deleted" | "published" | "tried" | "read";

/** Verb and object of each operation: `audit.<verb>` with `audit.what.<thing>`. */
const DEEDS: Readonly<Record<string, readonly [Verb, string]>> = {
  createAgent: ["made", "agent"],
  updateAgent: ["changed", "agent"],
  deleteAgent: ["deleted", "agent"],
  publishAgentVersion: ["published", "agent_version"],
  updateAgentDraft: ["changed", "agent_draft"],
  updateAgentPublishing: ["changed", "agent"],
  putAgentScenario: ["changed", "agent"],
  deleteAgentScenario: ["changed", "agent"],
  deleteAgentDraft: ["deleted", "agent_draft"],
  publishAgentDraft: ["published", "agent_draft"],
  openAgentSplit: ["made", "agent_split"],
  closeAgentSplit: ["deleted", "agent_split"],
  createFile: ["made", "knowledge"],
  importFile: ["made", "knowledge"],
  addKnowledgeSite: ["made", "site"],
  readKnowledgeSite: ["changed", "site"],
  deleteKnowledgeSite: ["deleted", "site"],
  updateFile: ["changed", "knowledge"],
  deleteFile: ["deleted", "knowledge"],
  answerQuestion: ["changed", "knowledge"],
  dismissQuestion: ["deleted", "question"],
  createTool: ["made", "tool"],
  updateTool: ["changed", "tool"],
  deleteTool: ["deleted", "tool"],
  tryTool: ["tried", "tool"],
  createPhoneNumber: ["made", "number"],
  updatePhoneNumber: ["changed", "number"],
  deletePhoneNumber: ["deleted", "number"],
  setTrunk: ["changed", "trunk"],
  allowTrunkSource: ["changed", "trunk"],
  deleteTrunk: ["deleted", "trunk"],
  testTrunk: ["tried", "trunk"],
  updateTenantSettings: ["changed", "settings"],
  updateFeatureSettings: ["changed", "features"],
  createWebhook: ["made", "webhook"],
  deleteWebhook: ["deleted", "webhook"],
  enableWebhook: ["changed", "webhook"],
  testWebhook: ["tried", "webhook"],
  rotateWebhookSecret: ["changed", "webhook_secret"],
  regenerateWebhookSecret: ["changed", "webhook_secret"],
  createKey: ["made", "key"],
  revokeKey: ["deleted", "key"],
  createContact: ["made", "contact"],
  updateContact: ["changed", "contact"],
  deleteContact: ["deleted", "contact"],
  importContacts: ["made", "contacts"],
  exportContacts: ["read", "contacts"],
  updateCallMemory: ["changed", "memory"],
  deleteCallMemory: ["deleted", "memory"],
  previewCampaign: ["tried", "campaign"],
  createCampaign: ["made", "campaign"],
  actOnCampaign: ["changed", "campaign"],
  exportCampaignTargets: ["read", "campaign"],
  cancelSchedule: ["deleted", "schedule"],
  testCrm: ["tried", "crm"],
  removeMember: ["deleted", "member"],
  withdrawInvitation: ["deleted", "invitation"],
  updateProfile: ["changed", "profile"],
  changePassword: ["changed", "password"],
  resetPassword: ["changed", "password"],
  confirmTotp: ["made", "second_factor"],
  disableTotp: ["deleted", "second_factor"],
  addPasskey: ["made", "passkey"],
  removePasskey: ["deleted", "passkey"],
  addCallTag: ["made", "call_tag"],
  removeCallTag: ["deleted", "call_tag"],
  addCallComment: ["made", "call_comment"],
  deleteCallComment: ["deleted", "call_comment"],
  getCallsCsv: ["read", "calls"],
  getCallPcap: ["read", "signalling"],
  getCallAudio: ["read", "recording"],
  getCallScenario: ["read", "calls"],
  getStatementCsv: ["read", "statement"],
  listenToCall: ["read", "live_call"],
  operatorListLogs: ["read", "logs"],
  operatorCreateTenant: ["made", "tenant"],
  operatorUpdateTenant: ["changed", "tenant"],
};

/** Operations that need a separate sentence: `audit.did.<name>`. */
const SENTENCES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["signIn", "signInTotp", "signInPasskey", "signInLink"].map((name) => [name, "signed_in"]),
  ),
  signOut: "signed_out",
  endSession: "ended_session",
  confirmSession: "confirmed",
  forgotPassword: "forgot_password",
  useOwnerLink: "became_owner",
  acceptInvitation: "joined",
  invite: "invited",
  operatorInviteOwner: "invited_owner",
  changeRole: "changed_role",
  setActiveTenant: "entered",
  stopActing: "stopped_acting",
  erasePerson: "erased",
  operatorConfirmNumber: "number_confirmed",
  confirmNumberByCall: "number_confirmed_by_call",
  endNumberClaim: "number_lost",
  createCall: "called",
  transferCall: "transferred",
  hangUpCall: "hung_up",
  chatWithAgent: "chatted",
  startRehearsal: "rehearsed",
  talkToAgent: "talked",
  topUp: "topped_up",
  openCheckout: "paid",
  resendWebhookDelivery: "resent",
  resendFailedDeliveries: "resent",
  replayCrmMessage: "resent",
  beginTotp: "began_second_factor",
  passkeyOptions: "began_passkey",
  operatorConfirmCheckout: "confirmed_payment",
  operatorCreditTenant: "credited",
  operatorSuspendTenant: "suspended",
  operatorResumeTenant: "resumed",
  operatorMakeOwnerLink: "made_owner_link",
  operatorCreateUser: "created_user",
  operatorResetPassword: "reset_password",
  operatorConfirmClock: "confirmed_clock",
  operatorRotateMasterKey: "rotated_master_key",
  operatorCreateBackup: "backed_up",
  operatorDrainNode: "drained",
  operatorRetryMail: "resent_mail",
  operatorTestMail: "tested_mail",
  operatorTryEngine: "tested_engine",
};

/** Pages whose labels name the fields of a setting. */
const LABELS = ["form", "agents", "trunk", "settings", "tools", "features", "numbers", "team"];
const OTHER_LABELS: Readonly<Record<string, MessageKey>> = {
  filename: "form.name",
  password: "auth.password",
  email: "auth.email",
  plan: "home.plan",
  suspended: "operator.suspended",
  amount_eur: "billing.amount",
  agent_id: "numbers.agent",
  agent_ids: "nav.agents",
  number_e164: "numbers.number",
  language: "language.label",
  calling_from: "features.from",
  calling_to: "features.to",
  birthday_agent_id: "features.birthday_agent",
  requires_second_factor: "settings.second_factor",
  content: "audit.field.content",
  inbound_enabled: "audit.field.inbound_enabled",
  disclosure: "audit.field.disclosure",
};

/** Whether the audit log has a text for this operation. */
export const hasSentence = (action: string): boolean => action in DEEDS || action in SENTENCES;

export function auditSentence(entry: AuditEntry, texts: Texts): string {
  const { action, subject, target } = entry;
  const who = actorOf(entry, texts);
  const said = (key: string, blanks: Record<string, string>) => texts.findText(key, blanks);
  if (entry.acting_until)
    return texts.t("audit.did.acts", { who, time: texts.dateTime(entry.acting_until) });
  const deed = DEEDS[action];
  const sentence = deed
    ? said(`audit.${deed[0]}`, { who, what: said(`audit.what.${deed[1]}`, {}) ?? "" })
    : said(`audit.did.${SENTENCES[action] ?? ""}`, { who });
  const named = subject === null ? "" : ` “${subject}”`;
  return `${sentence ?? `${who}: ${action} ${target}`}${named}`;
}

function actorOf(entry: AuditEntry, { t }: Texts): string {
  const { command_line, command_line_user: user } = entry;
  if (command_line) return user ? t("audit.command_line_user", { user }) : t("audit.command_line");
  if (entry.key_label !== null) return t("audit.key", { label: entry.key_label });
  return entry.user_email ?? t("team.nobody");
}

/** `Server: sip.a.example → sip.b.example`. */
export function auditChanges({ changes }: AuditEntry, texts: Texts): string[] {
  return changes.map(({ field, from, to }) => {
    const values = [from, to].map((value) => valueText(value, texts));
    return `${fieldLabel(field, texts)}: ${from === null ? values[1] : values.join(" → ")}`;
  });
}

function fieldLabel(field: string, { t, findText }: Texts): string {
  const [own = field, inner] = field.split(".");
  const other = OTHER_LABELS[own];
  const label = other
    ? t(other)
    : LABELS.map((page) => findText(`${page}.${own}`)).find((text) => text !== null);
  return [label ?? own.replaceAll("_", " "), inner].filter(Boolean).join(", ");
}

function valueText(value: string | null, { t }: Texts): string {
  if (value === null) return t("audit.none");
  if (value === "true") return t("audit.yes");
  return value === "false" ? t("audit.no") : value;
}
