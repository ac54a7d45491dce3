/** Every contract of the API, in the order of the document. */

import { AGENT_VOICES } from "../../../domain/agent/agent.ts";
import type { Contract } from "../contract.ts";
import * as splits from "./agent-splits.ts";
import * as versions from "./agent-versions.ts";
import { agentContracts } from "./agents.ts";
import * as billing from "./billing.ts";
import * as calls from "./calls.ts";
import * as campaigns from "./campaigns.ts";
import * as contacts from "./contacts.ts";
import * as crm from "./crm.ts";
import * as erasures from "./erasures.ts";
import * as features from "./features.ts";
import * as files from "./files.ts";
import * as keys from "./keys.ts";
import * as numbers from "./phone-numbers.ts";
import * as rehearsals from "./rehearsals.ts";
import * as reports from "./reports.ts";
import * as schedules from "./schedules.ts";
import * as service from "./service.ts";
import * as statements from "./statements.ts";
import * as tenant from "./tenant.ts";
import * as tools from "./tools.ts";
import * as webhooks from "./webhooks.ts";

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
