/** Every route below the mounts. */

import { agentRoutes } from "../../features/agent/routes.ts";
import { agentSplitRoutes } from "../../features/agent/splits-routes.ts";
import { agentVersionRoutes } from "../../features/agent/versions-routes.ts";
import { billingRoutes } from "../../features/billing/routes.ts";
import { statementRoutes } from "../../features/billing/statements-routes.ts";
import { reportRoutes } from "../../features/call-log/reports-routes.ts";
import { callRoutes, recordingRoutes } from "../../features/call-log/routes.ts";
import { campaignRoutes } from "../../features/campaign/routes.ts";
import { crmRoutes } from "../../features/contact/crm-routes.ts";
import { contactRoutes } from "../../features/contact/routes.ts";
import { keyRoutes } from "../../features/key/routes.ts";
import { fileRoutes } from "../../features/knowledge/routes.ts";
import { phoneNumberRoutes } from "../../features/number/routes.ts";
import { erasureRoutes } from "../../features/privacy/routes.ts";
import { rehearsalRoutes } from "../../features/rehearsal/routes.ts";
import { scheduleRoutes } from "../../features/schedule/routes.ts";
import { featureRoutes } from "../../features/tenant/features-routes.ts";
import { tenantRoutes } from "../../features/tenant/routes.ts";
import { toolRoutes } from "../../features/tool/routes.ts";
import { webhookRoutes } from "../../features/webhook/routes.ts";
import type { Route } from "../../http/contract.ts";
import type { RouteContext } from "../../http/route-context.ts";
import { serviceRoutes } from "./service-routes.ts";

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
