import type { QueryText } from '../../harness/api.ts'
import type { Json } from '../../harness/http.ts'
import { recordsPath, resourcesPath } from '../../harness/records.ts'
import { isToMany, linkBody, objects, relationships, textField, type ObjectName, type World } from './world.ts'

/** A call, and all objects whose records it reads or changes beside members. */
export type Call = {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly query?: QueryText
  readonly body?: Json
  readonly touches: readonly ObjectName[]
}

type Step = { readonly name: string; readonly to: ObjectName }

const stepsOf = (object: ObjectName): Step[] =>
  Object.entries(relationships[object]).map(([name, to]) => ({ name, to }))

/** Paths of one and of two relationships, with the objects along them. */
const waysOf = (
  object: ObjectName,
): { readonly path: string; readonly along: readonly ObjectName[]; readonly end: ObjectName }[] =>
  stepsOf(object).flatMap(({ name, to }) => [
    { path: name, along: [to], end: to },
    ...stepsOf(to).map((next) => ({ path: `${name}.${next.name}`, along: [to, next.to], end: next.to })),
  ])

const lists = (object: ObjectName): string => `/workspaces/acme/objects/${object}/lists`

/** Everything that reads records of an object, alone and together with others. */
export function readsOf({ ids, comments, lists: listIds }: World, object: ObjectName): Call[] {
  const one = `${recordsPath(object)}/${ids[object]}`
  const list = `${lists(object)}/${listIds[object]}`
  const get = (what: string, path: string, touches: readonly ObjectName[], query: QueryText = {}): Call => ({
    what: `${what} of ${object}`,
    method: 'GET',
    path,
    query,
    touches: [object, ...touches],
  })
  const post = (what: string, path: string, touches: readonly ObjectName[], body: Json): Call => ({
    what: `${what} of ${object}`,
    method: 'POST',
    path,
    body,
    touches: [object, ...touches],
  })
  return [
    get('the list', resourcesPath(object), []),
    get('the number', `/workspaces/acme/objects/${object}/stats`, []),
    get('one', one, []),
    get('the feed', `${one}/activities`, []),
    get('the deleted', `/workspaces/acme/objects/${object}/deleted-resources`, []),
    get('the grants', `${one}/access`, []),
    get('a comment', `/workspaces/acme/comments/${comments[object]}`, []),
    get('a search', resourcesPath(object), [], { search: 'zq' }),
    post('a search across', '/workspaces/acme/search', [], { query: 'zq', entities: [object] }),
    get('the records of a list', `${list}/resources`, []),
    post('the CSV of a list', `${list}/rows/csv`, [], {}),
    ...waysOf(object).flatMap(({ path, along, end }) => {
      const field = `${path}.${textField[end]}`
      const tree = { not: { field, op: 'Contains', value: 'nothing' } }
      return [
        get(`included ${path}`, resourcesPath(object), along, { include: path }),
        get(`one with ${path}`, one, along, { include: path }),
        get(`the records of a list with ${path}`, `${list}/resources`, along, { include: path }),
        get(`by ${path}`, resourcesPath(object), along, { [`filter[${field}][Contains]`]: 'zq' }),
        get(`the records of a list by ${path}`, `${list}/resources`, along, { [`filter[${field}][Contains]`]: 'zq' }),
        post(`a tree along ${path}`, `${resourcesPath(object)}/query`, along, { filter: tree }),
        post(`a query with ${path}`, `${resourcesPath(object)}/query`, along, { include: [path] }),
        post(`the CSV of a list with ${path}`, `${list}/rows/csv`, along, { include: [path] }),
        post(`a dynamic list along ${path}`, lists(object), along, {
          title: 'Looking',
          type: 'dynamic',
          query: { filter: tree },
        }),
      ]
    }),
    ...stepsOf(object).flatMap(({ name, to }) => [
      get(`related ${name}`, `${one}/relationships/${name}`, [to]),
      ...stepsOf(to).map((next) =>
        get(`related ${name} with ${next.name}`, `${one}/relationships/${name}`, [to, next.to], {
          include: `${name}.${next.name}`,
        }),
      ),
    ]),
  ]
}

/** Everything that changes records of an object, and with it those at the other ends of its links. */
export async function writesOf(world: World, object: ObjectName): Promise<Call[]> {
  const gone = world.ids[object]
  await world.remove(object, gone)
  await world.renew()
  const leaving = world.ids[object]
  await world.renew()
  const { ids } = world
  const one = `${recordsPath(object)}/${ids[object]}`
  const call = (method: string, what: string, path: string, touches: readonly ObjectName[], body: Json): Call => ({
    what: `${what} ${object}`,
    method,
    path,
    body,
    touches: [object, ...touches],
  })
  const spare = await world.create(object)
  const others = {} as Record<ObjectName, string>
  for (const each of objects) others[each] = await world.create(each)
  const attributes =
    object === 'task' || object === 'meeting'
      ? { title: 'Another' }
      : object === 'person'
        ? { job_title: 'Another' }
        : { name: `Another ${spare}` }
  return [
    call('POST', 'create', recordsPath(object), [], { data: { type: object, attributes } }),
    call('PATCH', 'rename', one, [], {
      data: { type: object, id: ids[object], attributes: object === 'deal' ? { stage: 'Won' } : attributes },
    }),
    ...stepsOf(object).flatMap(({ name, to }) => {
      const path = `${one}/relationships/${name}`
      const body = linkBody(name, to, others[to])
      const kept = linkBody(name, to, ids[to])
      return [
        ...(isToMany(name)
          ? [call('POST', `add ${name} of`, path, [to], body)]
          : [
              call('PATCH', `refer by ${name} of`, one, [to], {
                data: { type: object, attributes: { [name]: others[to] } },
              }),
            ]),
        call('PATCH', `replace ${name} of`, path, [to], body),
        ...(isToMany(name) || to === 'c_desk' || object === 'c_desk'
          ? [call('DELETE', `unlink ${name} of`, path, [to], kept)]
          : []),
        call('POST', `create with ${name}`, resourcesPath(object), [to], {
          data: {
            type: object,
            attributes: {
              ...attributes,
              ...(object === 'deal' || object === 'company' ? { name: `${name} ${others[to]}` } : {}),
            },
            relationships: { [name]: body },
          },
        }),
      ]
    }),
    call('POST', 'comment on', '/workspaces/acme/comments', [], {
      entity: object,
      owner_id: ids[object],
      message: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello' }] }],
    }),
    call('POST', 'put into a list', `${lists(object)}/${world.lists[object]}/resources`, [], {
      data: [{ type: object, id: spare }],
    }),
    call('POST', 'share', `${one}/access`, [], {
      data: { type: 'object-record-access', attributes: { grantee_type: 'workspace', access_level: 'view' } },
    }),
    call('POST', 'merge', `${recordsPath(object)}/${spare}/merges`, changedWith(object), {
      data: { type: object, attributes: { sources: [ids[object]] } },
    }),
    call('DELETE', 'delete', recordsPath(object), changedWith(object), { items: [leaving] }),
    call('POST', 'restore', `${recordsPath(object)}/restore`, changedWith(object), { items: [gone] }),
  ]
}

/** The objects that hold references to one: their records change when it goes. */
const changedWith = (object: ObjectName): ObjectName[] =>
  objects.filter((other) => Object.entries(relationships[other]).some(([name, to]) => to === object && !isToMany(name)))
