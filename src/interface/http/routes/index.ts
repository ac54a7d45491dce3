/** Every route below the mounts. */
import type { Route } from "../contract.ts";
import { agentSplitRoutes } from "./agent-splits.ts";
import { agentVersionRoutes } from "./agent-versions.ts";
import { agentRoutes } from "./agents.ts";
import { billingRoutes } from "./billing.ts";
import { callRoutes, recordingRoutes } from "./calls.ts";
import { campaignRoutes } from "./campaigns.ts";
import { contactRoutes } from "./contacts.ts";
import type { RouteContext } from "./context.ts";
import { crmRoutes } from "./crm.ts";
import { erasureRoutes } from "./erasures.ts";
import { featureRoutes } from "./features.ts";
import { fileRoutes } from "./files.ts";
import { keyRoutes } from "./keys.ts";
import { phoneNumberRoutes } from "./phone-numbers.ts";
import { rehearsalRoutes } from "./rehearsals.ts";
import { reportRoutes } from "./reports.ts";
import { scheduleRoutes } from "./schedules.ts";
import { serviceRoutes } from "./service.ts";
import { statementRoutes } from "./statements.ts";
import { tenantRoutes } from "./tenant.ts";
import { toolRoutes } from "./tools.ts";
import { webhookRoutes } from "./webhooks.ts";

export const apiRoutes = (context: RouteContext): Route[] => [
  ...serviceRoutes(context),
  ...tenantRoutes(context),
  ...agentRoutes(context),
  ...agentVersionRoutes(context),
  ...agentSplitRoutes(context),
  ...rehearsalRoutes(context),
  ...fileRoutes(context),
  ...toolRoutes(context),
  ...phoneNumberRoutes(context),
  ...callRoutes(context),
  ...recordingRoutes(context),
  ...scheduleRoutes(context),
  ...reportRoutes(context),
  ...billingRoutes(context),
  ...statementRoutes(context),
  ...keyRoutes(context),
  ...webhookRoutes(context),
  ...contactRoutes(context),
  ...erasureRoutes(context),
  ...featureRoutes(context),
  ...crmRoutes(context),
  ...campaignRoutes(context),
];
