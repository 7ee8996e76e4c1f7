import type { AppContract, EventResource } from '@kontor/contract'
import { emitters, type Family } from './emitters.ts'

type Domain = keyof AppContract
type Shown = Domain | { [D in Domain]: `${D}.${keyof AppContract[D] & string}` }[Domain]
type EventAttributes = EventResource['attributes']

const records: Shown[] = [
  'records',
  'resources',
  'relationships',
  'search',
  'lists.listRecords',
  'activities.list',
  'campaigns.listRecipients',
  'meetings.searchTranscripts',
]

/** Beside the domains that make such events: queries in whose answers they may show. */
const alsoShownIn: Readonly<Partial<Record<Family, readonly Shown[]>>> = {
  record: records,
  relationship: records,
  meeting: ['meetings', 'activities.list'],
  list: ['lists', 'activities.list'],
  comment: ['activities.list'],
  attachment: ['activities.list'],
  access: [...records, 'lists', 'comments', 'attachments', 'activities'],
  schema: [...records, 'asyncTasks', 'activities', 'layouts'],
  email: ['emails', 'campaigns', 'activities.list'],
}

const isAmong = (path: readonly string[], shown: readonly string[]): boolean =>
  shown.some((one) => one === path[0] || one === path.join('.'))

type CachedQuery = { readonly path: readonly string[]; readonly input: Readonly<Record<string, unknown>> }

/** Returns the operation and input of a query from its key; with a prefix of keys, that comes first. */
function askedBy(queryKey: readonly unknown[]): CachedQuery | undefined {
  const [path, options] = queryKey.slice(-2)
  if (!Array.isArray(path) || !isObject(options)) return undefined
  return { path, input: isObject(options['input']) ? options['input'] : {} }
}

/** Tells whether a query asks for something of a workspace. */
export const isOfWorkspace = (queryKey: readonly unknown[], workspace: string): boolean => {
  const asked = askedBy(queryKey)
  return asked !== undefined && (asked.input['workspace'] ?? workspace) === workspace
}

/** Tells whether an event may change what a query of the workspace answers. */
export function isTouched(
  queryKey: readonly unknown[],
  data: unknown,
  { attributes: event }: EventResource,
  workspace: string,
): boolean {
  const asked = askedBy(queryKey)
  if (asked === undefined || !isOfWorkspace(queryKey, workspace)) return false
  const { path, input } = asked
  const family = event.type.split('.', 1)[0] as Family
  const { own, beside } = emitters[family]
  const isShown = isAmong(path, [...own, ...(alsoShownIn[family] ?? [])])
  if (!isShown && !isAmong(path, beside)) return false
  if (event.object === 'schema') return isOfSchema(input, event.data)
  const about = new Set([event.record_id, ...idsIn(event.data)])
  const isAboutLists = family === 'list' || event.object === 'list'
  if (idsIn(input).some((id) => about.has(id)) || shows(data, about)) return true
  if (!isShown) return false
  if (namesOne(input, isAboutLists)) return false
  if (isAboutLists) return true
  if (input['object'] === undefined) return path[0] === 'search' || !changesRecords.has(family)
  return input['object'] === event.object || looksAlong(input)
}

const changesRecords = new Set<Family>(['record', 'relationship', 'access'])

/** Tells whether a query asks for one thing, or what one has; the records of a list are many. */
const namesOne = (input: CachedQuery['input'], isAboutLists: boolean): boolean =>
  Object.entries(input).some(([key, value]) => isId(value) && (key !== 'list' || isAboutLists))

/** Of an object that another version is in force of, or that is shared as a whole. */
function isOfSchema(input: CachedQuery['input'], data: EventAttributes['data']): boolean {
  const object = input['object'] ?? input['entity']
  return object === undefined || !('entity' in data) || object === data.entity
}

/** By what references lead to, such as `company_id.name`; then other objects decide too, as in lists by SQL. */
const looksAlong = (input: CachedQuery['input']): boolean =>
  input['list'] !== undefined || [input['filter'], input['sortOrder'], input['body']].some(hasPath)

const hasPath = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).some(([key, inner]) => isPath(key) || isPathOf(key, inner) || hasPath(inner))

const isPathOf = (key: string, value: unknown): boolean => (key === 'column' || key === 'field') && isPath(value)

const isPath = (value: unknown): boolean => typeof value === 'string' && value.includes('.')

/** Tells whether an answer has a resource with one of these ids. */
const shows = (answer: unknown, ids: ReadonlySet<string>): boolean =>
  isObject(answer) &&
  ((typeof answer['id'] === 'string' && ids.has(answer['id'])) ||
    Object.values(answer).some((inner) => shows(inner, ids)))

function idsIn(value: unknown): string[] {
  if (isId(value)) return [value]
  return isObject(value) ? Object.values(value).flatMap(idsIn) : []
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
