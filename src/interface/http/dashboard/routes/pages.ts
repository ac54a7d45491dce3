/** Contracts and routes of each dashboard page. A new page needs one line here. */
import type { Contract, Route } from "../../contract.ts";
import { accountContracts } from "./account.ts";
import * as appliance from "./appliance.ts";
import * as billing from "./billing.ts";
import * as callAnnotations from "./call-annotations.ts";
import * as calls from "./calls.ts";
import * as chat from "./chat.ts";
import type { ProductContext } from "./context.ts";
import * as foundCalls from "./found-calls.ts";
import * as home from "./home.ts";
import * as operatorHealth from "./operator-health.ts";
import * as operatorMail from "./operator-mail.ts";
import * as operatorNodes from "./operator-nodes.ts";
import * as operatorTenants from "./operator-tenants.ts";
import { sessionContracts } from "./session.ts";
import * as sites from "./sites.ts";
import { teamContracts } from "./team.ts";
import * as settings from "./tenant-settings.ts";
import * as tools from "./tools.ts";
import * as trunk from "./trunk.ts";
import * as unanswered from "./unanswered.ts";
import * as voiceSample from "./voice-sample.ts";
import * as webhooks from "./webhooks.ts";

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
