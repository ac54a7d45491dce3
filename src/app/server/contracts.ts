/** Every contract of the API, in the order of the document. */

import { AGENT_VOICES } from "../../features/agent/agent.ts";
import { agentContracts } from "../../features/agent/routes.ts";
import * as splits from "../../features/agent/splits-routes.ts";
import * as versions from "../../features/agent/versions-routes.ts";
import * as billing from "../../features/billing/routes.ts";
import * as statements from "../../features/billing/statements-routes.ts";
import * as reports from "../../features/call-log/reports-routes.ts";
import * as calls from "../../features/call-log/routes.ts";
import * as campaigns from "../../features/campaign/routes.ts";
import * as crm from "../../features/contact/crm-routes.ts";
import * as contacts from "../../features/contact/routes.ts";
import * as keys from "../../features/key/routes.ts";
import * as files from "../../features/knowledge/routes.ts";
import * as numbers from "../../features/number/routes.ts";
import * as erasures from "../../features/privacy/routes.ts";
import * as rehearsals from "../../features/rehearsal/routes.ts";
import * as schedules from "../../features/schedule/routes.ts";
import * as features from "../../features/tenant/features-routes.ts";
import * as tenant from "../../features/tenant/routes.ts";
import * as tools from "../../features/tool/routes.ts";
import * as webhooks from "../../features/webhook/routes.ts";
import type { Contract } from "../../http/contract.ts";
import * as service from "./service-routes.ts";

const VERSIONS: readonly Contract[] = [
  versions.listVersions,
  versions.getVersion,
  versions.publishVersion,
  versions.compareVersions,
  versions.getDraft,
  versions.changeDraft,
  versions.discardDraft,
  versions.changePublishing,
  versions.publishDraft,
  splits.getSplit,
  splits.openSplit,
  splits.closeSplit,
  rehearsals.listScenarios,
  rehearsals.putScenario,
  rehearsals.deleteScenario,
];

/** Contracts that are equal on every appliance. */
const FIXED: readonly Contract[] = [
  files.listFiles,
  files.createFile,
  files.importFile,
  files.getFile,
  files.updateFile,
  files.deleteFile,
  tools.listTools,
  numbers.listPhoneNumbers,
  numbers.createPhoneNumber,
  numbers.getPhoneNumber,
  numbers.updatePhoneNumber,
  numbers.deletePhoneNumber,
  calls.listCalls,
  calls.getCall,
  calls.createCall,
  calls.transferCall,
  calls.hangUpCall,
  calls.getRecording,
  rehearsals.listRehearsals,
  rehearsals.startRehearsal,
  rehearsals.getRehearsal,
  rehearsals.getRehearsalRecording,
  schedules.listSchedules,
  schedules.cancelSchedule,
  reports.getAnalytics,
  reports.getUsage,
  billing.listPlans,
  billing.topUp,
  billing.openCheckout,
  billing.getBalance,
  statements.getStatement,
  statements.getStatementPage,
  statements.getStatementCsv,
  keys.createKey,
  keys.listKeys,
  keys.revokeKey,
  webhooks.createWebhook,
  webhooks.listWebhooks,
  webhooks.deleteWebhook,
  webhooks.testWebhook,
  webhooks.rotateSecret,
  webhooks.listDeliveries,
  webhooks.resendDelivery,
  webhooks.getSnippet,
  webhooks.regenerateSecret,
  contacts.listContacts,
  contacts.createContact,
  contacts.importContacts,
  contacts.exportContacts,
  contacts.getContact,
  contacts.updateContact,
  contacts.deleteContact,
  contacts.listMemories,
  contacts.updateMemory,
  contacts.deleteMemory,
  erasures.countErasure,
  erasures.erasePerson,
  features.getFeatures,
  features.updateFeatures,
  features.previewBirthdays,
  crm.listCrmPosts,
  crm.replayCrmPost,
  crm.testCrm,
  campaigns.listCampaigns,
  campaigns.previewCampaign,
  campaigns.createCampaign,
  campaigns.getCampaign,
  campaigns.actOnCampaign,
  campaigns.listCampaignTargets,
  campaigns.exportCampaignTargets,
];

export const allContracts = (voices: readonly string[] = AGENT_VOICES): Contract[] => {
  const agents = agentContracts(voices);
  return [
    service.ping,
    tenant.getTenant,
    agents.list,
    agents.create,
    agents.get,
    agents.update,
    ...VERSIONS,
    agents.remove,
    ...FIXED,
  ];
};
