/** What is known of a call: its record, and the details of every trace it left. */
import type { Rest } from "../../api/client.ts";
import type { callDetailsQuery, QueryData } from "../../api/queries.ts";

export type Call = Rest["Call"];

export type Details = QueryData<ReturnType<typeof callDetailsQuery>>;
