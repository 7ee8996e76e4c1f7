import {
  parameterIn,
  responseIn,
  type DocumentedOperation,
  type Parameter,
  type Response,
  type Schema,
} from '../openapi.ts'
import { namesWithin, type Api } from './api.ts'
import { addition, breaking, schemaChanges, type Change, type Direction } from './schemas.ts'

/** Returns the changes between two versions of the API, for the programs that call it. */
export function compare(before: Api, after: Api): Change[] {
  const changes = [
    ...pathChanges(before, after),
    ...eventChanges(before, after),
    ...namedChanges(before, after, 'sent'),
    ...namedChanges(before, after, 'answered'),
  ]
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()]
}

/** Where it is heard no more, answers are whole: whoever sends it must be ready for that. */
const breaksNothing = new Set(['header `If-None-Match`'])

type Versions = { readonly before: Api; readonly after: Api }

type Operations = ReadonlyMap<string, DocumentedOperation>

const operationsOf = ({ paths }: Api): Operations =>
  new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )

function pathChanges(before: Api, after: Api): Change[] {
  const [old, now] = [operationsOf(before), operationsOf(after)]
  return [
    ...[...now.keys()].filter((name) => !old.has(name)).map((name) => addition(name, 'is new')),
    ...[...old].flatMap(([where, operation]) => {
      const other = now.get(where)
      return other === undefined
        ? [breaking(where, 'is gone')]
        : operationChanges({ before, after }, where, operation, other)
    }),
  ]
}

/** Whom an operation lets in. */
const needs = ['x-kontor-scope', 'x-kontor-role'] as const

function operationChanges(
  versions: Versions,
  where: string,
  before: DocumentedOperation,
  after: DocumentedOperation,
): Change[] {
  const changed = needs.filter((name) => before[name] !== after[name])
  return [
    ...changed.map((name) => breaking(where, `has another \`${name}\`: ${after[name] ?? 'none'}`)),
    ...(before.operationId === after.operationId ? [] : [breaking(where, `has another name: ${after.operationId}`)]),
    ...parameterChanges(versions, where, before, after),
    ...bodyChanges(versions, where, before, after),
    ...answerChanges(versions, where, before, after),
  ]
}

const parametersOf = ({ components }: Api, { parameters = [] }: DocumentedOperation): ReadonlyMap<string, Parameter> =>
  new Map(
    parameters
      .map((given) => parameterIn(components, given))
      .map((parameter) => [`${parameter.in} \`${parameter.name}\``, parameter]),
  )

function parameterChanges(
  { before, after }: Versions,
  where: string,
  old: DocumentedOperation,
  now: DocumentedOperation,
): Change[] {
  const [had, has] = [parametersOf(before, old), parametersOf(after, now)]
  const added = [...has].filter(([name]) => !had.has(name))
  return [
    ...added.map(([name, { required }]) =>
      required ? breaking(where, `needs the ${name}`) : addition(where, `takes the ${name}`),
    ),
    ...[...had].flatMap(([name, parameter]) => {
      const other = has.get(name)
      if (other === undefined)
        return [(breaksNothing.has(name) ? addition : breaking)(where, `has no ${name} any more`)]
      const pair = { before: parameter.schema, after: other.schema, where: `${where}, ${name}` }
      return [
        ...(other.required && !parameter.required ? [breaking(where, `needs the ${name}`)] : []),
        ...schemaChanges({ before, after, direction: 'sent' }, pair),
      ]
    }),
  ]
}

function bodyChanges(
  { before, after }: Versions,
  where: string,
  { requestBody: old }: DocumentedOperation,
  { requestBody: now }: DocumentedOperation,
): Change[] {
  if (old === undefined) {
    if (now === undefined) return []
    return [now.required === true ? breaking(where, 'needs a body') : addition(where, 'takes a body')]
  }
  if (now === undefined) return [breaking(where, 'takes no body any more')]
  const schemas = { before: old.content['application/json'].schema, after: now.content['application/json'].schema }
  return [
    ...(now.required === true && old.required !== true ? [breaking(where, 'needs a body')] : []),
    ...schemaChanges({ before, after, direction: 'sent' }, { ...schemas, where: `${where}, body` }),
  ]
}

/** Errors are one shape for all operations; their codes may become more. */
const isSuccess = (status: string): boolean => Number(status) < 300

function answerChanges(
  versions: Versions,
  where: string,
  { responses: old }: DocumentedOperation,
  { responses: now }: DocumentedOperation,
): Change[] {
  const gained = Object.keys(now).filter((status) => isSuccess(status) && old[status] === undefined)
  return [
    ...gained.map((status) => addition(where, `may answer ${status}`)),
    ...Object.entries(old)
      .filter(([status]) => isSuccess(status))
      .flatMap(([status, response]) => {
        const other = now[status]
        return other === undefined
          ? [breaking(where, `answers no ${status} any more`)]
          : mediaChanges(versions, `${where}, ${status}`, response, other)
      }),
  ]
}

function mediaChanges({ before, after }: Versions, where: string, old: Response, now: Response): Change[] {
  const [{ content: had = {} }, { content: has = {} }] = [
    responseIn(before.components, old),
    responseIn(after.components, now),
  ]
  return Object.entries(had).flatMap(([type, { schema }]) => {
    const other = has[type]?.schema
    return other === undefined
      ? [breaking(where, `is no ${type} any more`)]
      : schemaChanges({ before, after, direction: 'answered' }, { before: schema, after: other, where })
  })
}

const payloadOf = (event: DocumentedOperation | undefined): Schema | undefined =>
  event?.requestBody?.content['application/json'].schema

function eventChanges(before: Api, after: Api): Change[] {
  const [old, now] = [before, after].map(({ webhooks }) => webhooks)
  const gained = Object.keys(now ?? {}).filter((type) => old?.[type] === undefined)
  return [
    ...gained.map((type) => addition(`event ${type}`, 'is new')),
    ...Object.entries(old ?? {}).flatMap(([type, { post }]) => {
      const where = `event ${type}`
      const [was, is] = [payloadOf(post), payloadOf(now?.[type]?.post)]
      if (is === undefined) return [breaking(where, 'is gone')]
      return was === undefined
        ? []
        : schemaChanges({ before, after, direction: 'answered' }, { before: was, after: is, where })
    }),
  ]
}

/** Everything that callers send in one direction, or get in the other. */
const rootsOf = ({ paths, webhooks, components }: Api, direction: Direction): unknown[] => {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return direction === 'sent'
    ? [operations.map(({ parameters, requestBody }) => [parameters, requestBody]), components.parameters]
    : [operations.map(({ responses }) => responses), components.responses, webhooks]
}

/** The named schemas of one direction, each compared once, however many operations it is in. */
function namedChanges(before: Api, after: Api, direction: Direction): Change[] {
  const names = namesWithin(before, rootsOf(before, direction))
  return [...names].flatMap((name) => {
    const [was, is] = [before.components.schemas[name], after.components.schemas[name]]
    // One that is gone by its name is compared where it was used.
    return was === undefined || is === undefined
      ? []
      : schemaChanges({ before, after, direction }, { before: was, after: is, where: name })
  })
}
