import assert from 'node:assert/strict'
import {
  activities,
  type ObjectSchemaDocument,
  records,
  resources,
  type RestClient,
  type SchemaPlan,
  schemas,
} from '@kontor/client'
import { step, tell } from '../tell.ts'
import type { Ids } from './fill.ts'
import { habits, underLoad } from './load.ts'
import { addField, committees, documentOf, object, patiently, until, untilDone, workspace } from './model.ts'

type Context = { readonly rest: RestClient; readonly ids: Ids; readonly userId: string }

/**
 * Changes the schema four times while readers and writers go on, and proves by the activities what became of the
 * records.
 */
export async function evolve(context: Context): Promise<void> {
  const { rest, ids } = context
  const allHabits = await habits(rest, ids)
  const during = async (title: string, work: () => Promise<void>): Promise<void> => {
    step(title)
    const { requests, slowestMs } = await underLoad(allHabits, work)
    assert.ok(requests > 0)
    tell(`meanwhile ${requests} requests of readers and writers, none refused, the slowest in ${slowestMs} ms`)
  }
  await during('Add a field while others read and write', () =>
    addField(rest, 'founded', { xSvcType: 'date', title: 'Founded' }),
  )
  await during('Rename one: jurisdiction becomes remit, with its values', () => rename(context))
  await during('Remove an option: no committee is joint any more', () => removeOption(context))
  await during('Narrow a type: a website must be a URL; the plan first', () => narrow(context))
  await proveByActivities(context)
  await tidyUp(rest)
  assert.deepEqual(Object.keys((await documentOf(rest)).properties), [
    'name',
    'code',
    'kind',
    'website',
    'remit',
    'parent',
    'subcommittees',
    'members',
    'founded',
  ])
}

/** Sends the document as it is now with something changed in it. */
async function put(
  rest: RestClient,
  change: (properties: ObjectSchemaDocument['properties']) => Record<string, unknown>,
): Promise<void> {
  const { body } = await patiently(async () => {
    const document = await documentOf(rest)
    const properties = change(document.properties) as ObjectSchemaDocument['properties']
    return rest.call(schemas.replace, { ...committees, body: { ...document, properties } })
  })
  await untilDone(rest, body.data.id)
}

const attributesOf = async ({ rest, ids }: Context, code: string) =>
  (await rest.call(records.get, { ...committees, id: ids.committees.get(code) ?? '' })).body.data.attributes

async function rename(context: Context): Promise<void> {
  const before = (await attributesOf(context, 'SSAF'))['jurisdiction']
  assert.ok(typeof before === 'string' && before.length > 0)
  await put(context.rest, (properties) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) =>
        name === 'jurisdiction'
          ? ['remit', { ...schema, title: 'Remit', xSvcPrevName: 'jurisdiction' }]
          : [name, schema],
      ),
    ),
  )
  const after = await attributesOf(context, 'SSAF')
  assert.equal(after['remit'], before)
  assert.ok(!('jurisdiction' in after))
}

async function removeOption(context: Context): Promise<void> {
  const { rest, userId } = context
  const joint = (await rest.call(resources.list, { ...committees, filter: { kind: 'joint' } })).body.data.map(
    ({ id }) => id,
  )
  assert.equal(joint.length, 5)
  const { $id: id } = await documentOf(rest)
  const { body } = await patiently(() =>
    rest.call(schemas.updateOptions, {
      workspace,
      body: {
        data: [
          {
            type: 'schema-properties',
            id,
            attributes: { kind: { enum: ['joint'] } },
            meta: { kind: { enum: 'remove' } },
          },
        ],
      },
    }),
  )
  assert.deepEqual(body.data[0]?.attributes, {
    isValid: true,
    values: { kind: ['house', 'house subcommittee', 'senate', 'senate subcommittee'] },
  })
  await until(
    'the end of the option',
    async () => (await documentOf(rest)).properties['kind']?.enum?.includes('joint') !== true,
  )
  // No caller sees the option from now on, while the records are still being cleared.
  const cleared = await Promise.all(
    joint.map(async (one) => (await rest.call(records.get, { ...committees, id: one })).body.data.attributes['kind']),
  )
  assert.deepEqual(cleared, [null, null, null, null, null])
  for (const one of joint) await untilTold(rest, one, userId)
  tell('the activities of all five say who cleared "joint"')
}

/** Waits until the activities of a record tell that an option was cleared, and by whom. */
const untilTold = (rest: RestClient, record: string, userId: string): Promise<void> =>
  until(`the activity of ${record}`, async () => {
    const { body } = await rest.call(activities.list, {
      ...committees,
      record,
      filter: { type: 'svc:update', actor: userId },
    })
    const changes = body.data.flatMap(({ attributes }) => attributes.data.flatMap((event) => event.object.diff))
    return changes.some(({ path, oldVal }) => path[0] === 'kind' && oldVal === 'joint')
  })

async function planWith(rest: RestClient, website: object): Promise<SchemaPlan['attributes']> {
  const document = await documentOf(rest)
  const { body } = await rest.call(schemas.plan, {
    ...committees,
    body: { ...document, properties: { ...document.properties, website } },
  })
  return body.data.attributes
}

async function narrow({ rest, ids }: Context): Promise<void> {
  const url = { xSvcType: 'url', title: 'Website', format: 'uri' } as const
  const id = ids.committees.get('HSAG') ?? ''
  const setWebsite = (website: string) =>
    rest.call(records.update, { ...committees, id, body: { data: { type: object, attributes: { website } } } })
  await setWebsite('agriculture.house.gov')
  const first = await planWith(rest, url)
  assert.equal(first.valid, false)
  assert.equal(first.violations.length, 1)
  tell(`the plan: ${JSON.stringify(first.violations[0])}`)
  await setWebsite('https://agriculture.house.gov/')
  const second = await planWith(rest, url)
  assert.deepEqual([second.valid, second.violations, second.lost], [true, [], []])
  await put(rest, (properties) => ({ ...properties, website: url }))
  const refused = await setWebsite('agriculture.house.gov').then(
    () => undefined,
    (error: unknown) => error as { status: number },
  )
  assert.equal(refused?.status, 422)
}

/** Returns the changes of the schema since it was created and related, in their order. */
async function proveByActivities({ rest, userId }: Context): Promise<void> {
  step('The activities of the schema say who changed what')
  const { body } = await rest.call(activities.listOfSchema, {
    workspace,
    entity: object,
    filter: { actor: userId, type: 'svc:update' },
  })
  const events = body.data.flatMap(({ attributes }) => attributes.data).toSorted((a, b) => (a._id < b._id ? -1 : 1))
  const told = events.flatMap((event) => event.object.diff.map(({ op, path }) => `${op} ${path.join('.')}`))
  assert.deepEqual(told.slice(-4), ['add founded', 'update jurisdiction', 'update kind', 'update website'])
  tell(told.slice(-4).join(', '))
}

/** Takes away what the writers have made: the files are all that is left. */
async function tidyUp(rest: RestClient): Promise<void> {
  const made: string[] = []
  for await (const { data } of rest.pages(resources.list, {
    ...committees,
    filter: { code: { 'Starts with': 'LOAD' } },
    page: { limit: 500 },
  }))
    made.push(...data.map(({ id }) => id))
  for (let from = 0; from < made.length; from += 5000)
    await rest.call(records.removeMany, { ...committees, body: { items: made.slice(from, from + 5000) } })
  assert.equal((await rest.call(resources.list, { ...committees, page: { limit: 1 } })).body.meta.total_records, 230)
  tell(`${made.length} committees of the writers are gone again; 230 are left`)
}
