import type { FieldTypeName } from '@kontor/contract'

/** Notes on a field type, shown beside responses of a server. */
type FieldTypeNote = {
  readonly title: string
  readonly use: string
  /** The values and spellings accepted, and what the server stores. */
  readonly accepts: string
  readonly order: string
  readonly merge: string
}

const collection =
  'An upsert unites: the sent items come first, then the stored ones. `PATCH` replaces. To choose otherwise, send ' +
  '`append`, `remove` or `replace` as `collection` in `meta`.'
const single = 'The new value replaces the stored one.'
const object =
  'An upsert merges the members: a member that you omit stays. `PATCH` replaces. To choose otherwise, send `merge` ' +
  'or `replace` as `object` in `meta`.'
const alphabetic = 'Alphabetical, regardless of case and accents.'
const byItems = 'By the items, in the order in which they are stored.'
const items = 'An object with `items`, up to 1,000 of them. Duplicate items are removed.'
const unsorted = 'Not sortable.'

/** The notes of every type; a new type does not compile without its note. */
export const fieldTypeNotes: Readonly<Record<FieldTypeName, FieldTypeNote>> = {
  text: {
    title: 'Text',
    use: 'A short text, such as a name or a title.',
    accepts:
      'A string of up to 10,000 characters. White space around it is removed; an empty string is stored as null.',
    order: alphabetic,
    merge: single,
  },
  long_text: {
    title: 'Long text',
    use: 'Descriptions and notes without formatting.',
    accepts: 'A string of up to 100,000 characters, stored as sent; an empty string is stored as null.',
    order: alphabetic,
    merge: single,
  },
  rich_text: {
    title: 'Rich text',
    use: 'Text with headings, lists, links and other formatting, as a list of blocks.',
    accepts:
      'An object with `text`, a list of blocks. Missing ids, children and styles are added; unknown types of ' +
      'blocks are kept. Text without content is stored as null.',
    order: unsorted,
    merge: `${single} Send \`append\` as \`array\` in \`meta\` to add blocks at the end.`,
  },
  number: {
    title: 'Number',
    use: 'Counts and measures.',
    accepts:
      'A JSON number below 1,000,000,000,000 with up to four decimals. Declare `"type": "integer"` for whole ' +
      'numbers, and `minimum`, `maximum` or `multipleOf` for bounds.',
    order: 'Numeric.',
    merge: single,
  },
  currency: {
    title: 'Currency amount',
    use: 'An amount of money. The currency code is a field of its own, such as `currency` of a deal.',
    accepts: 'A JSON number below 1,000,000,000,000 with up to four decimals, without a currency sign.',
    order: 'Numeric.',
    merge: single,
  },
  rating: {
    title: 'Rating',
    use: 'Zero to five stars.',
    accepts: 'A whole number from 0 to 5.',
    order: 'Numeric.',
    merge: single,
  },
  checkbox: {
    title: 'Checkbox (boolean)',
    use: 'Yes or no.',
    accepts: '`true` or `false`; no strings and no numbers.',
    order: '`false` before `true`.',
    merge: single,
  },
  date: {
    title: 'Date',
    use: 'A day without a time, such as a birthday or a due date.',
    accepts: 'A string `YYYY-MM-DD`, for a day that exists.',
    order: 'Chronological.',
    merge: single,
  },
  timestamp: {
    title: 'Timestamp (date and time)',
    use: 'A day with a time.',
    accepts:
      'ISO 8601 with `Z` or an offset. A time without a zone is read in the time zone of the workspace. It is ' +
      'returned in UTC with milliseconds.',
    order: 'Chronological.',
    merge: single,
  },
  select: {
    title: 'Select (options)',
    use: 'One of several select options, such as a stage of a pipeline or a status.',
    accepts: 'Exactly one of the options in `enum`, including case. Options are sorted in the order of `enum`.',
    order: 'In the order of the options.',
    merge: single,
  },
  multi_select: {
    title: 'Multi-select (several options)',
    use: 'Any number of select options.',
    accepts: `${items} Each item is one of the options in \`enum\`.`,
    order: byItems,
    merge: collection,
  },
  email_addresses: {
    title: 'E-mail addresses',
    use: 'The e-mail addresses of a person or an organisation.',
    accepts: `${items} Addresses are stored in lower case, international domains as punycode.`,
    order: byItems,
    merge: collection,
  },
  phone_numbers: {
    title: 'Phone numbers',
    use: 'Phone numbers in international format.',
    accepts:
      `${items} A number with a country code is stored in the phone number format E.164, an extension as \`;ext=5\`. ` +
      'A number without one belongs to the setting `default_country`; where that is null, it is stored as typed.',
    order: byItems,
    merge: collection,
  },
  domains: {
    title: 'Domains',
    use: 'Internet domains, by which companies are matched.',
    accepts: `${items} Domains are stored in lower case, international ones as punycode.`,
    order: byItems,
    merge: collection,
  },
  url: {
    title: 'URL',
    use: 'A link.',
    accepts: 'A string of up to 2,048 characters. Add `"format": "uri"` to reject anything that is not a URI.',
    order: alphabetic,
    merge: single,
  },
  location: {
    title: 'Location (address)',
    use: 'A postal address or a place.',
    accepts: 'A string, or an object of any members, which is stored as sent. Members that are null are removed.',
    order: 'By all texts in the value. Sort by another field where the order matters to people.',
    merge: object,
  },
  person_name: {
    title: 'Person name',
    use: 'First name, last name and full name.',
    accepts:
      'An object with `first_name`, `last_name` or `full_name`. The full name is derived from the others unless it ' +
      'is sent.',
    order: 'By the full name; `name.last_name` and `name.first_name` are columns of their own.',
    merge: object,
  },
  labels: {
    title: 'Labels (tags)',
    use: 'Free tags; unlike options they need no declaration.',
    accepts: `${items} Upper and lower case are different.`,
    order: byItems,
    merge: collection,
  },
  participants: {
    title: 'Participants',
    use: 'Attendees of a meeting.',
    accepts:
      `${items} Each item is \`{email, name?, phone_number?, status?, organizer?, type?}\`, or an e-mail address as ` +
      'a string.',
    order: byItems,
    merge: `${collection} Participants are equal if their addresses are; known details of both are kept.`,
  },
  reference: {
    title: 'Reference (relationship)',
    use: 'A link to records of another object.',
    accepts:
      'The id of a record. The to-many end of a relationship is written through `…/relationships/{field}` instead.',
    order: 'By the id. To sort by a field of the other record, use a dotted path such as `company_id.name`.',
    merge: single,
  },
  user_reference: {
    title: 'User reference',
    use: 'The owner or assignee of a record.',
    accepts: 'The id of a member of the workspace.',
    order: 'By the id.',
    merge: single,
  },
  json: {
    title: 'JSON',
    use: 'Data of your own program, such as settings.',
    accepts: 'Any JSON value, stored as sent.',
    order: unsorted,
    merge: object,
  },
}
