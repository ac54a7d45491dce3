/** Lithuanian: signing in and what leads there. */
export const auth = {
  "auth.email": "El. paštas",
  "auth.password": "Slaptažodis",
  "auth.password_hint": "Bent 12 ženklų. Tinka keli nesusiję žodžiai.",
  "auth.name": "Jūsų vardas",
  "auth.sign_in": "Prisijungti",
  "auth.sign_in_lead": "Jūsų įmonės skambučiai, agentai ir nustatymai.",
  "auth.passkey": "Prisijungti prieigos raktu",
  "auth.passkey_failed":
    "Prieigos raktas nepriimtas. Bandykite dar kartą arba naudokite slaptažodį.",
  "auth.forgot": "Pamiršote slaptažodį?",
  "auth.setup_needed":
    "Šis įrenginys dar neturi savininko. Atverkite vienkartinę nuorodą, kurią jis parodė paleidžiant, arba gaukite naują: linevoice setup",
  "auth.totp": "Antras žingsnis",
  "auth.totp_lead":
    "Įrašykite šešis skaitmenis iš autentifikavimo programėlės arba vieną iš atkūrimo kodų.",
  "auth.code": "Kodas",
  "auth.owner": "Paruoškite įrenginį",
  "auth.owner_lead":
    "Tapsite jo operatoriumi ir pirmosios įmonės savininku. Numatytųjų slaptažodžių čia nėra.",
  "auth.company": "Įmonė",
  "auth.company_hint":
    "Agentai, numeriai ir skambučiai priklauso įmonei. Vėliau galėsite pridėti kitų.",
  "auth.create": "Sukurti paskyrą",
  "auth.link_bad": "Šios nuorodos naudoti negalima",
  "auth.link_bad_body":
    "Ji jau panaudota, nebegalioja arba su klaida. Savininko nuoroda galioja 30 minučių; naują gausite komanda: linevoice setup",
  "auth.reset_bad_body": "Ji jau panaudota arba nebegalioja. Paprašykite naujos.",
  "auth.invitation": "Prisijungti prie „{company}“",
  "auth.invitation_lead": "Esate pakviesti kaip {role}, adresu {email}.",
  "auth.invitation_account": "Paskyrą jau turite: įrašykite jos slaptažodį.",
  "auth.invitation_bad_body":
    "Kvietimas priimtas, atšauktas arba nebegalioja. Paprašykite, kad atsiųstų dar kartą.",
  "auth.join": "Prisijungti",
  "auth.forgot_title": "Naujas slaptažodis",
  "auth.forgot_lead": "Nuorodą atsiųsime el. paštu. Ji veikia vieną kartą.",
  "auth.forgot_send": "Siųsti nuorodą",
  "auth.forgot_sent": "Jei tokia paskyra yra, laiškas jau pakeliui.",
  "auth.reset_lead": "Pasirinkite naują slaptažodį. Visur būsite atjungti.",
  "auth.reset_done": "Naujas slaptažodis nustatytas. Prisijunkite juo.",
  "auth.back": "Grįžti prie prisijungimo",
  "auth.entering": "Jungiama…",
} as const;
