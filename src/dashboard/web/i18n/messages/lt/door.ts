/** Lithuanian: signing in and what leads there. */
export const door = {
  "door.email": "El. paštas",
  "door.password": "Slaptažodis",
  "door.password_hint": "Bent 12 ženklų. Tinka keli nesusiję žodžiai.",
  "door.name": "Jūsų vardas",
  "door.sign_in": "Prisijungti",
  "door.sign_in_lead": "Jūsų įmonės skambučiai, agentai ir nustatymai.",
  "door.passkey": "Prisijungti prieigos raktu",
  "door.passkey_failed":
    "Prieigos raktas nepriimtas. Bandykite dar kartą arba naudokite slaptažodį.",
  "door.forgot": "Pamiršote slaptažodį?",
  "door.setup_needed":
    "Šis įrenginys dar neturi savininko. Atverkite vienkartinę nuorodą, kurią jis parodė paleidžiant, arba gaukite naują: linevoice setup",
  "door.totp": "Antras žingsnis",
  "door.totp_lead":
    "Įrašykite šešis skaitmenis iš autentifikavimo programėlės arba vieną iš atkūrimo kodų.",
  "door.code": "Kodas",
  "door.owner": "Paruoškite įrenginį",
  "door.owner_lead":
    "Tapsite jo operatoriumi ir pirmosios įmonės savininku. Numatytųjų slaptažodžių čia nėra.",
  "door.company": "Įmonė",
  "door.company_hint":
    "Agentai, numeriai ir skambučiai priklauso įmonei. Vėliau galėsite pridėti kitų.",
  "door.create": "Sukurti paskyrą",
  "door.link_bad": "Šios nuorodos naudoti negalima",
  "door.link_bad_body":
    "Ji jau panaudota, nebegalioja arba su klaida. Savininko nuoroda galioja 30 minučių; naują gausite komanda: linevoice setup",
  "door.reset_bad_body": "Ji jau panaudota arba nebegalioja. Paprašykite naujos.",
  "door.invitation": "Prisijungti prie „{company}“",
  "door.invitation_lead": "Esate pakviesti kaip {role}, adresu {email}.",
  "door.invitation_account": "Paskyrą jau turite: įrašykite jos slaptažodį.",
  "door.invitation_bad_body":
    "Kvietimas priimtas, atšauktas arba nebegalioja. Paprašykite, kad atsiųstų dar kartą.",
  "door.join": "Prisijungti",
  "door.forgot_title": "Naujas slaptažodis",
  "door.forgot_lead": "Nuorodą atsiųsime el. paštu. Ji veikia vieną kartą.",
  "door.forgot_send": "Siųsti nuorodą",
  "door.forgot_sent": "Jei tokia paskyra yra, laiškas jau pakeliui.",
  "door.reset_lead": "Pasirinkite naują slaptažodį. Visur būsite atjungti.",
  "door.reset_done": "Naujas slaptažodis nustatytas. Prisijunkite juo.",
  "door.back": "Grįžti prie prisijungimo",
  "door.entering": "Jungiama…",
} as const;
