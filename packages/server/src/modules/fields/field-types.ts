import type { FieldTypeName } from '@kontor/contract'
import { checkbox } from './checkbox.ts'
import { domains, emailAddresses, labels, phoneNumbers } from './contact-points.ts'
import { date, timestamp } from './dates.ts'
import type { FieldType } from './field-type.ts'
import { json } from './json.ts'
import { location } from './location.ts'
import { currency, number, rating } from './number.ts'
import { participants } from './participants.ts'
import { personName } from './person-name.ts'
import { reference, userReference } from './references.ts'
import { richText } from './rich-text.ts'
import { multiSelect, select } from './select.ts'
import { longText, text, url } from './text.ts'

/** Every field type by its `xSvcType`. */
export const fieldTypes: Readonly<Record<FieldTypeName, FieldType>> = {
  text,
  long_text: longText,
  rich_text: richText,
  number,
  currency,
  rating,
  checkbox,
  date,
  timestamp,
  select,
  multi_select: multiSelect,
  email_addresses: emailAddresses,
  phone_numbers: phoneNumbers,
  domains,
  url,
  location,
  person_name: personName,
  labels,
  participants,
  reference,
  user_reference: userReference,
  json,
}
