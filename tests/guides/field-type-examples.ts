import type { FieldTypeName } from '@kontor/contract'
import type { Json } from '../harness/http.ts'

/** The examples of a type on the page *Field types*; a test sends all of them. */
type FieldTypeExample = {
  /** The field, as it is declared; its type is added. */
  readonly schema: Json
  /** Values of one record each; the first is the one that readers see first. */
  readonly forms: readonly Json[]
  /** A value that an upsert sends after the first. */
  readonly next: Json
}

const block = (text: string): Json => ({ type: 'paragraph', id: text.toLowerCase(), content: [{ type: 'text', text }] })

/** Stand for the ids of a company and of a user, which differ on each run. */
export const ids = { company: '{company}', other: '{other}', user: '{user}', colleague: '{colleague}' } as const

export const fieldTypeExamples: Readonly<Record<FieldTypeName, FieldTypeExample>> = {
  text: { schema: { title: 'Job title' }, forms: ['Senator', '  Senator  ', ''], next: 'Engineer' },
  long_text: { schema: { title: 'Summary' }, forms: ['First line\nSecond line', ''], next: 'Another text' },
  rich_text: {
    schema: { title: 'Notes' },
    forms: [{ text: [block('Hello')] }, { text: [] }],
    next: { text: [block('Again')] },
  },
  number: { schema: { title: 'Employees' }, forms: [250, -12.3456, 1e3], next: 300 },
  currency: { schema: { title: 'Amount' }, forms: [5000, 0.0001], next: 7500 },
  rating: { schema: { title: 'Rating' }, forms: [4, 0, 5], next: 3 },
  checkbox: { schema: { title: 'Subscribed' }, forms: [true, false], next: false },
  date: { schema: { title: 'Close date' }, forms: ['2026-12-31', '2028-02-29'], next: '2027-01-31' },
  timestamp: {
    schema: { title: 'Starts' },
    forms: ['2026-01-31T09:30:00Z', '2026-01-31T23:30:00.5-02:00', '2026-01-31T09:30'],
    next: '2026-02-01T10:00:00Z',
  },
  select: {
    schema: { title: 'Status', enum: ['New', 'Active', 'Closed'] },
    forms: ['New', 'Closed', 'Active'],
    next: 'Active',
  },
  multi_select: {
    schema: { title: 'Interests', enum: ['Price', 'Service', 'Speed'] },
    forms: [{ items: ['Price', 'Speed'] }, { items: ['Speed', 'Speed'] }, { items: [] }],
    next: { items: ['Service'] },
  },
  email_addresses: {
    schema: { title: 'E-mail addresses' },
    forms: [{ items: ['ada@example.com'] }, { items: ['Ada@Example.COM', 'ada@example.com'] }],
    next: { items: ['ada@work.example'] },
  },
  phone_numbers: {
    schema: { title: 'Phone numbers' },
    forms: [
      { items: ['+1 202-224-3441'] },
      { items: ['tel:+442079460958', '020 7946 0958'] },
      { items: ['+12125550100 ext. 5'] },
    ],
    next: { items: ['+44 20 7946 0958'] },
  },
  domains: {
    schema: { title: 'Domains' },
    forms: [{ items: ['example.com'] }, { items: ['Example.COM', 'münchen.example'] }],
    next: { items: ['example.org'] },
  },
  url: { schema: { title: 'Website' }, forms: ['https://example.com/about', ''], next: 'https://example.org' },
  location: {
    schema: { title: 'Location' },
    forms: ['London', { city: 'London', country: 'GB', coordinates: [51.5, -0.1] }],
    next: { city: 'Paris' },
  },
  person_name: {
    schema: { title: 'Contact' },
    forms: [{ first_name: 'Ada', last_name: 'Lovelace' }, { full_name: 'Plato' }, { first_name: 'Grace' }],
    next: { last_name: 'King' },
  },
  labels: {
    schema: { title: 'Labels' },
    forms: [{ items: ['VIP'] }, { items: ['VIP', 'vip', 'VIP'] }],
    next: { items: ['Newsletter'] },
  },
  participants: {
    schema: { title: 'Participants' },
    forms: [
      { items: [{ email: 'ada@example.com', name: 'Ada Lovelace', organizer: true }] },
      { items: ['Grace@Example.com'] },
    ],
    next: { items: [{ email: 'grace@example.com', status: 'accepted' }] },
  },
  reference: {
    schema: {
      title: 'Company',
      type: ['string', 'null'],
      xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'samples' },
    },
    forms: [ids.company, null],
    next: ids.other,
  },
  user_reference: { schema: { title: 'Owner' }, forms: [ids.user, null], next: ids.colleague },
  json: { schema: { title: 'Settings' }, forms: [{ theme: 'dark' }, [1, 2], true], next: { size: 2 } },
}
