import type { AppContract, EventResource } from '@kontor/contract'

type Domain = keyof AppContract
type Shown = Domain | { [D in Domain]: `${D}.${keyof AppContract[D] & string}` }[Domain]
type EventAttributes = EventResource['attributes']
type Family = EventAttributes['type'] extends infer T ? (T extends `${infer F}.${string}` ? F : never) : never

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

/** By what events begin with, the queries in whose answers such an event may show. */
const shownIn: Readonly<Record<Family, readonly Shown[]>> = {
  record: records,
  relationship: records,
  meeting: ['meetings', 'activities.list'],
  list: ['lists', 'activities.list'],
  comment: ['comments', 'activities.list'],
  attachment: ['attachments', 'activities.list'],
  access: [...records, 'access', 'lists', 'comments', 'attachments', 'activities'],
  schema: [...records, 'schemas', 'asyncTasks', 'activities', 'layouts'],
  member: ['users', 'invitations'],
  workflow: ['workflows'],
  email: ['emails', 'campaigns', 'activities.list'],
  suppression: ['suppressions'],
  workspace: ['workspaces'],
  setting: ['settings'],
  layout: ['layouts'],
  api_key: ['apiKeys'],
  webhook: ['webhooks'],
}

type Asked = { readonly path: readonly string[]; readonly input: Readonly<Record<string, unknown>> }

/** What a query asks, by its key; with a prefix of keys, that comes first. */
function askedBy(queryKey: readonly unknown[]): Asked | undefined {
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
  if (!shownIn[family].some((shown) => shown === path[0] || shown === path.join('.'))) return false
  if (event.object === 'schema') return isOfSchema(input, event.data)
  const about = new Set([event.record_id, ...idsIn(event.data)])
  const isAboutLists = family === 'list' || event.object === 'list'
  if (idsIn(input).some((id) => about.has(id)) || shows(data, about)) return true
  if (namesOne(input, isAboutLists)) return false
  if (isAboutLists) return true
  if (input['object'] === undefined) return path[0] === 'search' || !changesRecords.has(family)
  return input['object'] === event.object || looksAlong(input)
}

const changesRecords = new Set<Family>(['record', 'relationship', 'access'])

/** Tells whether a query asks for one thing, or what one has; the records of a list are many. */
const namesOne = (input: Asked['input'], isAboutLists: boolean): boolean =>
  Object.entries(input).some(([key, value]) => isId(value) && (key !== 'list' || isAboutLists))

/** Of an object that another version is in force of, or that is shared as a whole. */
function isOfSchema(input: Asked['input'], data: EventAttributes['data']): boolean {
  const object = input['object'] ?? input['entity']
  return object === undefined || !('entity' in data) || object === data.entity
}

/** By what references lead to, such as `company_id.name`; then other objects decide too, as in lists by SQL. */
const looksAlong = (input: Asked['input']): boolean =>
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
