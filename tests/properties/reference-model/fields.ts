/** The kind of a field for a filter: the rows of the table of operators. */
export type Kind = 'text' | 'number' | 'date' | 'timestamp' | 'select' | 'items' | 'flag' | 'id' | 'location' | 'rich'

/** A field as the list of built-in objects has it; `to` is the object that a reference names. */
export type Field = {
  readonly name: string
  readonly kind: Kind
  readonly to?: string
  readonly options?: readonly string[]
  readonly items?: 'email' | 'phone' | 'domain' | 'text' | 'role' | 'participant'
}

const field =
  (kind: Kind, more: Partial<Field> = {}) =>
  (name: string): Field => ({ name, kind, ...more })

const text = field('text')
const labels = field('items', { items: 'text' })
const toUser = field('id', { to: 'user' })
const to = (object: string) => field('id', { to: object })
const select = (...options: string[]) => field('select', { options })

/** Written down from the description of the API, and from nothing of the server. */
export const objects: Readonly<Record<string, readonly Field[]>> = {
  person: [
    text('name'),
    field('items', { items: 'email' })('email_addresses'),
    field('items', { items: 'phone' })('phone_numbers'),
    text('job_title'),
    to('company')('company_id'),
    text('linkedin'),
    field('location')('location'),
    text('description'),
    text('avatar_url'),
    labels('labels'),
    toUser('owner_id'),
  ],
  company: [
    text('name'),
    field('items', { items: 'domain' })('domains'),
    text('industry'),
    field('number')('employee_count'),
    field('number')('annual_revenue'),
    field('location')('location'),
    text('linkedin'),
    text('description'),
    labels('labels'),
    toUser('owner_id'),
  ],
  deal: [
    text('name'),
    select('Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost')('stage'),
    field('number')('amount'),
    text('currency'),
    field('date')('close_date'),
    to('company')('company_id'),
    toUser('owner_id'),
    text('description'),
    labels('labels'),
  ],
  task: [
    text('title'),
    field('rich')('description'),
    select('To Do', 'In Progress', 'Done', 'Canceled')('status'),
    select('Urgent', 'High', 'Medium', 'Low')('priority'),
    field('date')('due_date'),
    toUser('assignee_id'),
    to('person')('person_id'),
    to('company')('company_id'),
    to('deal')('deal_id'),
    to('meeting')('meeting_id'),
  ],
  meeting: [
    text('title'),
    field('timestamp')('start'),
    field('timestamp')('end'),
    field('flag')('all_day'),
    field('items', { items: 'participant' })('participants'),
    field('flag')('recording_enabled'),
    text('summary'),
    field('rich')('notes'),
    text('event_id'),
    text('ical_uid'),
  ],
  user: [
    text('name'),
    text('email'),
    field('items', { items: 'role', options: ['admin', 'member', 'viewer'] })('roles'),
  ],
}

/** Every record has these. */
export const systemFields: readonly Field[] = [
  field('id')('_id'),
  field('timestamp')('_created_at'),
  field('id')('_created_by'),
  field('timestamp')('_updated_at'),
  field('id')('_updated_by'),
]

const emptiness = ['Is empty', 'Is not empty'] as const
const equality = ['Is', 'Is not'] as const
const dates = [
  ...equality,
  'Is before',
  'Is on or before',
  'Is after',
  'Is on or after',
  'Within',
  ...emptiness,
] as const

/** The table of decisions. */
export const operators: Readonly<Record<Kind, readonly string[]>> = {
  text: [...equality, 'Contains', 'Does not contain', 'Starts with', 'Ends with', ...emptiness],
  number: [
    ...equality,
    'Greater than',
    'Greater than or equal',
    'Less than',
    'Less than or equal',
    'One of',
    ...emptiness,
  ],
  date: dates,
  timestamp: dates,
  select: [...equality, 'One of', 'Not one of', ...emptiness],
  items: [...equality, 'Contains', 'Does not contain', ...emptiness],
  flag: [...equality, 'Is set', 'Is not set'],
  id: [...equality, 'One of', ...emptiness],
  location: ['Contains', 'Does not contain'],
  rich: emptiness,
}

/** For people who type; some stand for another operator on another kind of field. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  eq: ['Is'],
  ne: ['Is not'],
  contains: ['Contains'],
  ncontains: ['Does not contain'],
  starts_with: ['Starts with'],
  ends_with: ['Ends with'],
  gt: ['Greater than', 'Is after'],
  gte: ['Greater than or equal', 'Is on or after'],
  lt: ['Less than', 'Is before'],
  lte: ['Less than or equal', 'Is on or before'],
  before: ['Is before'],
  after: ['Is after'],
  in: ['One of'],
  nin: ['Not one of'],
  is_null: ['Is empty', 'Is not set'],
  not_null: ['Is not empty', 'Is set'],
  within: ['Within'],
}

export const aliasesOf = (operator: string): string[] =>
  Object.keys(aliases).filter((alias) => aliases[alias]!.includes(operator))

export const fieldOf = (object: string, name: string): Field =>
  [...objects[object]!, ...systemFields].find((one) => one.name === name)!
