import { randomFillSync } from 'node:crypto'
import type { Attributes } from './attributes.ts'

/** The user who writes, and their workspace. */
export type Writer = { readonly workspaceId: string; readonly userId: string }

type Value = string | number | boolean | null | object

export type Row = Readonly<Record<string, Value>>

/**
 * The rows that one record leaves in the tables, exactly as the server's own create does; `compare.ts` holds it to
 * that.
 */
export type RecordRows = {
  readonly record: Row & { readonly id: string; readonly data: Attributes; readonly created_at: number }
  readonly fieldText: Row
  readonly document: Row
  readonly uniqueKey: Row
  readonly link: Row | undefined
  readonly event: Row
  readonly activity: Row
}

/** Attributes of the two objects in the order of their schemas, with what an answer shows where nothing is stored. */
const none = null
const noItems = { items: [] } as const
export const objects = {
  person: {
    attributes: {
      name: none,
      email_addresses: noItems,
      phone_numbers: noItems,
      job_title: none,
      company_id: none,
      linkedin: none,
      location: none,
      description: none,
      avatar_url: none,
      labels: noItems,
      owner_id: none,
      score: none,
    },
    unique: 'email_addresses',
    references: { company_id: 'company', owner_id: 'user' },
  },
  company: {
    attributes: {
      name: none,
      domains: noItems,
      industry: none,
      employee_count: none,
      annual_revenue: none,
      location: none,
      linkedin: none,
      description: none,
      labels: noItems,
      owner_id: none,
    },
    unique: 'domains',
    references: { owner_id: 'user' },
  },
} as const

export type ObjectName = keyof typeof objects

const attributeNames = {
  person: Object.keys(objects.person.attributes),
  company: Object.keys(objects.company.attributes),
}

type Items = { readonly items: readonly string[] }

export function recordRows(
  { workspaceId, userId }: Writer,
  object: ObjectName,
  data: Attributes,
  now: number,
): RecordRows {
  const id = newId(now)
  const { unique } = objects[object]
  const company = data['company_id'] as string | undefined
  return {
    record: {
      workspace_id: workspaceId,
      id,
      object,
      visibility: 0,
      owner_id: userId,
      version: 1,
      created_at: now,
      created_by: userId,
      updated_at: now,
      updated_by: userId,
      data,
      feed_end: { top: 1, at: now, open: [] },
    },
    fieldText: {
      workspace_id: workspaceId,
      field: `${object}.name`,
      is_null: 0,
      text_value: folded(nameOf(data)),
      record_id: id,
      visibility: 0,
    },
    document: documentOf(workspaceId, object, id, data, now),
    uniqueKey: {
      workspace_id: workspaceId,
      field: `${object}.${unique}`,
      key_value: folded((data[unique] as Items).items[0] as string),
      record_id: id,
    },
    link:
      company === undefined
        ? undefined
        : { workspace_id: workspaceId, relationship: 'person.company_id', from_id: id, to_id: company },
    ...historyRows({ workspaceId, userId }, object, id, data, now),
  }
}

/** The event of a creation, and its entry in the feed of the record, which has its changes. */
function historyRows(
  { workspaceId, userId }: Writer,
  object: ObjectName,
  recordId: string,
  data: Attributes,
  now: number,
): Pick<RecordRows, 'event' | 'activity'> {
  const id = newId(now)
  const diff: object[] = []
  for (const attribute of attributeNames[object])
    if (data[attribute] !== undefined) diff.push({ op: 'add', path: [attribute], val: data[attribute], oldVal: null })
  return {
    event: {
      workspace_id: workspaceId,
      id,
      type: 'record.created',
      object,
      record_id: recordId,
      actor: { id: userId, kind: 'personal-key' },
      silent: false,
      payload: {},
      created_at: now,
    },
    activity: {
      workspace_id: workspaceId,
      record_id: recordId,
      position: 1,
      place: 1,
      id,
      type: 'svc:create',
      object,
      actor_id: userId,
      actor_entity: 'user',
      // Any id will do for that of the key.
      source_id: userId,
      diff,
      began_at: now,
      created_at: now,
    },
  }
}

/** The searched texts of a person and of a company, the name first. */
const searched = {
  person: ['name', 'email_addresses', 'phone_numbers', 'job_title', 'location', 'labels'],
  company: ['name', 'domains', 'industry', 'location', 'labels'],
} as const

/** A phone number as it is, with `00` for `+`, and within its country, which is the same for all of them. */
const phoneWords = (value: unknown): string[] => {
  const { items } = (value ?? { items: [] }) as Items
  return items.flatMap((number) => [number.slice(1), `00${number.slice(1)}`, `0${number.slice(2)}`, number.slice(2)])
}

const wordsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? value
        .normalize('NFKC')
        .toLowerCase()
        .normalize('NFD')
        .replaceAll(/[\u0300-\u036f]/g, '')
        .split(/[^\p{L}\p{M}\p{N}\p{So}]+/u)
        .filter((word) => word !== '')
    : Object.entries(value ?? {})
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([, inner]) => wordsOf(inner))

const spaced = (words: readonly string[]): string => ` ${words.map((word) => `${word} `).join('')}`

/** The words of a record, as it is now. */
export function documentOf(
  workspaceId: string,
  object: ObjectName,
  id: string,
  data: Attributes,
  createdAt: number,
): Row {
  return {
    workspace_id: workspaceId,
    record_id: id,
    object,
    created_at: createdAt,
    title_text: spaced(wordsOf(nameOf(data))),
    document_text: spaced([
      ...new Set(searched[object].flatMap((field) => (field === 'phone_numbers' ? phoneWords : wordsOf)(data[field]))),
    ]),
    grams: null,
  }
}

/** The name of a company, or the full name of a person. */
function nameOf(data: Attributes): string {
  const name = data['name'] as string | { readonly full_name: string }
  return typeof name === 'string' ? name : name.full_name
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase().slice(0, 128)

const pool = Buffer.alloc(4096)
let used = pool.length
let lastMs = 0
let sequence = 0

/** UUID v7, increasing, as the server's ids are. */
export function newId(now: number): string {
  if (now > lastMs) {
    lastMs = now
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 8)
  used += 8
  const time = lastMs.toString(16).padStart(12, '0')
  const counted = sequence.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counted}-8${random.slice(1, 4)}-${random.slice(4)}`
}
