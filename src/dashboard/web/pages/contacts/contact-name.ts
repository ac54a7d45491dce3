/** What a contact is called, and who has a number. */
import { useQuery } from "@tanstack/react-query";
import type { Rest } from "../../api/client.ts";
import { contactsFoundQuery } from "../../api/queries.ts";

type Named = Pick<Rest["Contact"], "first_name" | "last_name" | "number_e164">;

/** The number, where the contact has no name. */
export const contactName = ({ first_name, last_name, number_e164 }: Named): string =>
  `${first_name} ${last_name}`.trim() || number_e164;

/** Null: nobody that is known, or not known yet. */
export function useContactName(number: string | null): string | null {
  const { data = [] } = useQuery({
    ...contactsFoundQuery(number ?? "", 1),
    enabled: number !== null,
  });
  const [contact] = data;
  return contact && contact.number_e164 === number ? contactName(contact) : null;
}
