/** Contracts and routes of each dashboard page. A new page needs one line here. */

import * as chat from "../../features/agent/chat-routes.ts";
import * as voiceSample from "../../features/agent/voice-sample-routes.ts";
import * as appliance from "../../features/appliance/dashboard-routes.ts";
import * as operatorHealth from "../../features/appliance/health-routes.ts";
import * as operatorNodes from "../../features/appliance/nodes-routes.ts";
import * as billing from "../../features/billing/dashboard-routes.ts";
import * as callAnnotations from "../../features/call-log/annotations-routes.ts";
import * as calls from "../../features/call-log/dashboard-routes.ts";
import * as home from "../../features/call-log/home-routes.ts";
import * as foundCalls from "../../features/call-log/search-routes.ts";
import { accountContracts } from "../../features/identity/account-routes.ts";
import { sessionContracts } from "../../features/identity/session-routes.ts";
import { teamContracts } from "../../features/identity/team-routes.ts";
import * as sites from "../../features/knowledge/sites-routes.ts";
import * as unanswered from "../../features/knowledge/unanswered-routes.ts";
import * as operatorMail from "../../features/mail/routes.ts";
import * as settings from "../../features/tenant/dashboard-routes.ts";
import * as operatorTenants from "../../features/tenant/operator-routes.ts";
import * as tools from "../../features/tool/dashboard-routes.ts";
import * as trunk from "../../features/trunk/routes.ts";
import * as webhooks from "../../features/webhook/dashboard-routes.ts";
import type { Contract, Route } from "../../http/contract.ts";
import type { ProductContext } from "../../http/dashboard-context.ts";

/** Routes about the product; those about people are separate. */
const PAGES: readonly (readonly [object, (context: ProductContext) => Route[]])[] = [
  [home, home.homeRoutes],
  [calls, calls.callRoutes],
  [foundCalls, foundCalls.foundCallRoutes],
  [callAnnotations, callAnnotations.callAnnotationRoutes],
  [chat, chat.chatRoutes],
  [voiceSample, voiceSample.voiceSampleRoutes],
  [tools, tools.toolRoutes],
  [unanswered, unanswered.unansweredRoutes],
  [sites, sites.siteRoutes],
  [trunk, trunk.trunkRoutes],
  [settings, settings.tenantSettingsRoutes],
  [appliance, appliance.applianceRoutes],
  [webhooks, webhooks.webhookRoutes],
  [billing, billing.billingRoutes],
  [operatorTenants, operatorTenants.operatorTenantRoutes],
  [operatorHealth, operatorHealth.operatorHealthRoutes],
  [operatorNodes, operatorNodes.operatorNodeRoutes],
  [operatorMail, operatorMail.operatorMailRoutes],
];

const isContract = (value: unknown): value is Contract =>
  typeof value === "object" && value !== null && "operationId" in value;

export const productContracts = (): Contract[] =>
  PAGES.flatMap(([page]) => Object.values(page).filter(isContract));

export const productRoutes = (context: ProductContext): Route[] =>
  PAGES.flatMap(([, routes]) => routes(context));

export const dashboardContracts = (): Contract[] => [
  ...sessionContracts,
  ...accountContracts,
  ...teamContracts,
  ...productContracts(),
];
