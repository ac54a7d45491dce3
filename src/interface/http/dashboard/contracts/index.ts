/** Every contract of the dashboard's own API, in the order of its document. */
import type { Contract } from "../../contract.ts";
import { accountContracts } from "./account.ts";
import { productContracts } from "./product.ts";
import { sessionContracts } from "./session.ts";
import { teamContracts } from "./team.ts";

export const dashboardContracts = (): Contract[] => [
  ...sessionContracts,
  ...accountContracts,
  ...teamContracts,
  ...productContracts(),
];
