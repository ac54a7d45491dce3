/** Lithuanian: what is the matter, by the codes of the server, and what mends it. */
export const statuses = {
  "system_status.trunk_none": "SIP linijos dar nėra: skambučiai negali nei ateiti, nei išeiti.",
  "remedy.trunk_none": "Įrašykite tiekėjo SIP paskyrą.",
  "system_status.trunk_registered": "Užregistruota: {server}.",
  "system_status.trunk_peering": "Skambučiams su {server} registracijos nereikia.",
  "system_status.trunk_failed": "Neužregistruota ({server}): {explanation}",
  "remedy.trunk_failed": "Patikrinkite paskyrą puslapyje „SIP linija“, tada išbandykite.",
  "system_status.trunk_registering": "Registruojama: {server}.",
  "remedy.trunk_registering": "Palaukite kelias sekundes, tada patikrinkite liniją.",
  "system_status.trunk_unregistered": "Neužregistruota: {server}.",
  "remedy.trunk_unregistered": "Patikrinkite liniją; rezultatas pasakys kodėl.",
  "system_status.engine_ready": "Pasiruošęs skambučiams.",
  "system_status.engine_starting": "Paleidžiamas.",
  "remedy.engine_starting": "Palaukite kelias sekundes.",
  "system_status.engine_failed": "Neveikia: {explanation}",
  "remedy.engine_failed":
    "Paprašykite operatoriaus peržiūrėti žurnalą ir paleisti serverį iš naujo.",
  "system_status.disk_ok": "Vietos pakanka.",
  "system_status.disk_low": "Diskas beveik pilnas: nauji įrašai nebedaromi.",
  "remedy.disk_low": "Paprašykite operatoriaus atlaisvinti vietos diske.",
  "system_status.disk_full": "Diskas pilnas: naujų skambučių nebus.",
  "remedy.disk_full": "Paprašykite operatoriaus atlaisvinti vietos diske.",
  "system_status.backup_ok": "Naujausia kopija padaryta prieš {hours} val.",
  "system_status.backup_old": "Naujausia kopija padaryta prieš {hours} val.",
  "remedy.backup_old":
    "Paprašykite operatoriaus padaryti kopiją arba padarykite puslapyje „Operatorius“.",
  "system_status.backup_manual":
    "Naujausia kopija padaryta prieš {hours} val. Pačios jos nedaromos.",
  "remedy.backup_manual": "Paprašykite operatoriaus nustatyti [storage] backup_at.",
  "system_status.backup_failed": "Paskutinė kopija nepavyko.",
  "remedy.backup_failed": "Paprašykite operatoriaus peržiūrėti žurnalą.",
  "system_status.backup_none": "Atsarginės kopijos dar nėra.",
  "remedy.backup_none":
    "Paprašykite operatoriaus padaryti kopiją arba padarykite puslapyje „Operatorius“.",
  "system_status.mail_ok": "Paštas veikia.",
  "system_status.mail_dead": "Nebesiunčiami laiškai, nes siųsti nepavyko: {count}.",
  "remedy.mail_dead": "Paprašykite operatoriaus išsiųsti juos iš naujo (Operatorius, Paštas).",
  "system_status.mail_waiting": "Laukiantys laiškai, nes siųsti nepavyko: {count}. {explanation}",
  "remedy.mail_waiting":
    "Jie siunčiami iš naujo patys; jei užsitęs, paprašykite operatoriaus išbandyti paštą.",
  "system_status.mail_files":
    "Laiškai su įrašais rašomi į failus serveryje ir laikomi tiek dienų: {count}; niekam jie nesiunčiami.",
  "remedy.mail_files": "Paprašykite operatoriaus nustatyti [mail] provider.",
  "system_status.webhook_off": "Webhook adresas {url} išjungtas: {explanation}",
  "remedy.webhook_off":
    "Sutvarkykite serverį, įjunkite adresą ir išsiųskite iš naujo, kas nepavyko.",
  "system_status.money_gone":
    "Plano minutės ir piniginė išnaudotos ({eur} EUR): skambinti ir atsiliepti negalima.",
  "remedy.money_gone": "Papildykite piniginę.",
  "system_status.number_without_agent": "Į {number} niekas neatsiliepia: nėra agento.",
  "remedy.number_without_agent": "Priskirkite numeriui agentą.",
} as const;
