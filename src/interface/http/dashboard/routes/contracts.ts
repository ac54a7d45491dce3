/** Every contract of the dashboard's own API, in the order of its document. */
import type { Contract } from "../../contract.ts";
import { accountContracts } from "./account.ts";
import * as billing from "./billing.ts";
import * as calls from "./calls.ts";
import * as agents from "./chat.ts";
import * as home from "./home.ts";
import * as operator from "./operator.ts";
import { sessionContracts } from "./session.ts";
import { teamContracts } from "./team.ts";
import * as settings from "./tenant-settings.ts";
import * as tools from "./tools.ts";
import * as trunk from "./trunk.ts";
import * as webhooks from "./webhooks.ts";

/** About the product itself, not about people. */
export const productContracts = (): Contract[] => [
  home.getHome,
  home.listLive,
  calls.getCallDetails,
  calls.getPeaks,
  calls.getAudio,
  calls.callsCsv,
  agents.chat,
  tools.listTools,
  tools.createTool,
  tools.getTool,
  tools.updateTool,
  tools.deleteTool,
  tools.tryTool,
  trunk.getTrunk,
  trunk.setTrunk,
  trunk.allowTrunkSource,
  trunk.deleteTrunk,
  trunk.testTrunk,
  settings.getTenantSettings,
  settings.updateTenantSettings,
  webhooks.listWebhookStates,
  webhooks.enableWebhook,
  webhooks.resendFailed,
  billing.listLedger,
  billing.listCheckouts,
  billing.getStatement,
  billing.getStatementCsv,
  operator.listTenants,
  operator.createTenant,
  operator.updateTenant,
  operator.creditTenant,
  operator.listWaitingCheckouts,
  operator.confirmCheckout,
  operator.listCallNotices,
  operator.getHealth,
  operator.tryEngine,
  operator.listBackups,
  operator.createBackup,
  operator.listLogs,
  operator.testMail,
  operator.listMails,
  operator.retryMail,
];

export const dashboardContracts = (): Contract[] => [
  ...sessionContracts,
  ...accountContracts,
  ...teamContracts,
  ...productContracts(),
];
