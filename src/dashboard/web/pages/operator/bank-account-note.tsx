/** Shows the operator the lines that let companies pay by bank transfer. */
import { useText } from "../../i18n/text.tsx";
import { ConfigLines } from "../../ui/copy.tsx";

const LINES = `[payments.manual]
beneficiary = "Example UAB"
iban = "LT121000011101001000"`;

export function BankAccountNote() {
  const { t } = useText();
  return (
    <div className="stack tight">
      <p className="note warn">{t("operator.no_bank_account")}</p>
      <ConfigLines text={LINES} />
    </div>
  );
}
